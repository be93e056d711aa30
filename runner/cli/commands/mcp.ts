import { randomBytes } from 'node:crypto';
import { Command } from 'commander';
import { homePaths, systemClock } from '../../../shared/home/index.ts';
import type { CommandModule } from '../command-table.ts';
import { openAsking } from '../asking.ts';
import type { AskingOptions } from '../asking.ts';
import { folderOf } from '../request.ts';
import { say } from '../io.ts';

/** `interlock mcp`: the gate as a server of the Model Context Protocol, on standard input and output. */
export const declare: CommandModule['declare'] = (io, done) =>
  new Command('mcp')
    .description(
      'Serves the Model Context Protocol on standard input and output: the tool "exec" for any host, and "approve" for the permission prompt of Claude Code.',
    )
    .option('--agent <name>', 'on whose behalf (default: main)')
    .option(
      '--key <file>',
      "sign with this key (default: INTERLOCK_KEY_FILE, else the agent's own)",
    )
    .option('--session <id>', 'the session that asks belong to (default: one of its own)')
    .addHelpText(
      'after',
      `
Examples:
  claude mcp add interlock -- interlock mcp --agent claude
  claude -p --permission-prompt-tool mcp__interlock__approve "…"`,
    )
    .action(async (options: AskingOptions) => {
      const { serveMcp } = await import('../../ingress/mcp/server.ts');
      const { readVersion } = await import('../../version.ts');
      const stop = new AbortController();
      const unlisten = io.onSignal(() => stop.abort());
      const session = `mcp-${randomBytes(6).toString('hex')}`;
      const { client, speaker, program } = openAsking(
        { session, ...options },
        io,
        homePaths(io.env),
      );
      await serveMcp(
        { client, speaker, program, cwd: folderOf(io), clock: systemClock },
        {
          stdin: io.stdin,
          stdout: io.stdout,
          onError: (error) => say(io.stderr, `interlock mcp: ${error.message}`),
        },
        { version: readVersion(), signal: stop.signal },
      );
      unlisten();
      done(0);
    });
