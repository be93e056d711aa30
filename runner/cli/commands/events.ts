import { Command } from 'commander';
import { displayPlain } from '../../../shared/base/index.ts';
import { clientSocket, homePaths } from '../../../shared/home/index.ts';
import { runnerClient } from '../../../shared/ipc/index.ts';
import type { CommandModule } from '../command-table.ts';
import { say, sayJson } from '../io.ts';

interface Options {
  readonly session: string;
  readonly json?: boolean;
}

/** `interlock events`: what happened in a session since somebody asked last. */
export const declare: CommandModule['declare'] = (io, done) =>
  new Command('events')
    .description(
      'Says what happened to the commands of a session since the last call, and forgets it: what was started, how it ended with the end of its output, and what was denied.',
    )
    .requiredOption('--session <id>', 'which session')
    .option('--json', '{"session", "events", "dropped"} as JSON')
    .addHelpText('after', '\nExample:\n  interlock events --session 4f2a')
    .action(async ({ session, json }: Options) => {
      const socketPath = clientSocket(io.env, homePaths(io.env));
      const { ok: _ok, ...told } = await runnerClient({ socketPath }).events(session);
      if (json === true) sayJson(io.stdout, told);
      else {
        for (const line of told.events) say(io.stdout, displayPlain(line));
        if (told.dropped > 0) say(io.stderr, `${told.dropped} earlier events were lost.`);
      }
      done(0);
    });
