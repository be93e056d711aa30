import { randomBytes } from 'node:crypto';
import { Command } from 'commander';
import { hosts, recordOf } from '../../../shared/agents/index.ts';
import { homePaths, systemClock } from '../../../shared/home/index.ts';
import { openAsking } from '../asking.ts';
import type { AskingOptions } from '../asking.ts';
import type { CommandModule } from '../command-table.ts';
import { say } from '../io.ts';
import { folderOf } from '../request.ts';

/** `interlock acp -- AGENT…`: an agent of the Agent Client Protocol with the gate in front of it. */
export const declare: CommandModule['declare'] = (io, done) =>
  new Command('acp')
    .description(
      'Starts an agent that speaks the Agent Client Protocol and stands between it and the editor. Permissions, terminals and writes of files pass the gate; everything else goes through untouched.',
    )
    .argument('<words...>', 'the agent and its arguments, after --')
    .option('--agent <name>', 'on whose behalf (default: main)')
    .option(
      '--key <file>',
      "sign with this key (default: INTERLOCK_KEY_FILE, else the agent's own)",
    )
    .passThroughOptions()
    .addHelpText('after', `\nExample:\n${examples().join('\n')}`)
    .action(async (words: string[], options: AskingOptions) => {
      const { createAcpGateway } = await import('../../ingress/acp/gateway.ts');
      const { createAcpMemory } = await import('../../ingress/acp/gateway.ts');
      const { serveRelay } = await import('../../ingress/relay/serve.ts');
      const { startAgent } = await import('../../ingress/relay/serve.ts');
      const session = `acp-${randomBytes(6).toString('hex')}`;
      const asking = openAsking({ ...options, session }, io, homePaths(io.env));
      const stop = new AbortController();
      const unlisten = io.onSignal(() => stop.abort());
      const exitCode = await serveRelay({
        agent: startAgent(words, { cwd: folderOf(io), env: io.env }),
        client: { input: io.stdin, output: io.stdout },
        clock: systemClock,
        say: (line) => say(io.stderr, `interlock acp: ${line}`),
        signal: stop.signal,
        gateway: (to) => createAcpGateway({ ...asking, ...to, memory: createAcpMemory() }),
      });
      unlisten();
      done(exitCode);
    });

function examples(): readonly string[] {
  return hosts.flatMap((host) => {
    const { acp } = recordOf(host);
    return acp === null ? [] : [`  interlock acp --agent ${host} -- ${acp}`];
  });
}
