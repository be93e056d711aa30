import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { homePaths } from '../../../shared/node/home/paths.ts';
import { refusalOf } from '../../../shared/refusal/refusal.ts';
import type { CommandModule } from '../command-table.ts';
import { exitCodes } from '../exit.ts';
import { CliError } from '../failure.ts';
import { say } from '../io.ts';

/** `interlock runner`: the service alone, in the foreground. */
export const declare: CommandModule['declare'] = (io, done) =>
  new Command('runner')
    .summary('the runner alone, in the foreground')
    .description('Starts the runner alone, in the foreground. Ctrl-C stops it.')
    .addHelpText('after', '\nExample:\n  interlock runner')
    .action(async () => {
      const { config, home, runnerSocket } = homePaths(io.env);
      if (!existsSync(config))
        throw new CliError(`${home} is not set up.`, 'Run "interlock init" first.');
      const { startRunner } = await import('../../service/start-runner.ts');
      const signalled = new Promise<void>((resolve) => {
        io.onSignal(() => resolve());
      });
      const runner = await startRunner({ env: io.env }).catch((error: unknown) => {
        const refusal = refusalOf(error);
        // 126 is for commands that were refused; this is a program that could not start.
        throw refusal === undefined ? error : new CliError(refusal.message, refusal.hint);
      });
      say(io.stdout, `The runner listens on ${runnerSocket}. Ctrl-C stops it.`);
      await signalled;
      await runner.stop();
      done(exitCodes.ok);
    });
