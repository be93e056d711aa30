import { Command } from 'commander';
import { clientSocket, homePaths } from '../../../shared/home/index.ts';
import { runnerClient } from '../../../shared/ipc/index.ts';
import type { CommandModule } from '../command-table.ts';
import { say, sayJson } from '../io.ts';
import { askLines } from '../text.ts';

/** `interlock pending`: every ask that waits for a person, whole. */
export const declare: CommandModule['declare'] = (io, done) =>
  new Command('pending')
    .description('Lists what waits for a person, oldest first, each ask whole.')
    .option('--json', 'the asks as JSON')
    .addHelpText('after', '\nExamples:\n  interlock pending\n  interlock pending --json')
    .action(async (options: { readonly json?: boolean }) => {
      const socketPath = clientSocket(io.env, homePaths(io.env));
      const pending = await runnerClient({ socketPath }).pending();
      if (options.json === true) sayJson(io.stdout, pending);
      else if (pending.length === 0) say(io.stdout, 'Nothing waits.');
      else
        for (const { ask } of pending) {
          for (const line of askLines(ask, io.now())) say(io.stdout, line);
          say(io.stdout, `  interlock approve ${ask.id}   |   interlock deny ${ask.id}\n`);
        }
      done(0);
    });
