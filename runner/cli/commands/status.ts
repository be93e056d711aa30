import { Command } from 'commander';
import { clientSocket, homePaths } from '../../../shared/home/index.ts';
import { runnerClient } from '../../../shared/ipc/index.ts';
import type { CommandModule } from '../command-table.ts';
import { say, sayJson } from '../io.ts';
import { statusLines } from '../text.ts';

/** `interlock status`: what runs, what waits, what is wrong. */
export const declare: CommandModule['declare'] = (io, done) =>
  new Command('status')
    .description('Shows whether the runner is up, what it runs, and what waits for a person.')
    .option('--json', "the runner's answer as JSON")
    .addHelpText('after', '\nExamples:\n  interlock status\n  interlock status --json')
    .action(async (options: { readonly json?: boolean }) => {
      const socketPath = clientSocket(io.env, homePaths(io.env));
      const status = await runnerClient({ socketPath }).status();
      if (options.json === true) sayJson(io.stdout, status);
      else for (const line of statusLines(status, io.now())) say(io.stdout, line);
      done(0);
    });
