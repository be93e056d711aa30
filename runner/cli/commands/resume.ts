import { Command } from 'commander';
import { becomeOwner, clientSocket, homePaths } from '../../../shared/home/index.ts';
import { resume } from '../../../shared/operations/index.ts';
import { runnerClient } from '../../../shared/ipc/index.ts';
import { refuse } from '../../../shared/base/index.ts';
import type { CommandModule } from '../command-table.ts';
import { say } from '../io.ts';

/** `interlock resume`: ends a pause. A lockout it does not end. */
export const declare: CommandModule['declare'] = (io, done) =>
  new Command('resume')
    .description('Ends a pause. It does not end a lockout.')
    .addHelpText('after', '\nExample:\n  interlock resume')
    .action(async () => {
      const paths = homePaths(io.env);
      becomeOwner(paths.home);
      const socketPath = clientSocket(io.env, paths);
      const runner = runnerClient({ socketPath });
      const { mode } =
        socketPath === paths.runnerSocket
          ? { mode: await resume({ runner, paths, now: io.now, by: 'command line' }) }
          : await runner.resume();
      if (mode === 'locked')
        throw refuse(
          'lockout-active',
          'There is no pause to end: Interlock is locked.',
          'Only a person can unlock it.',
        );
      say(io.stdout, 'Resumed.');
      done(0);
    });
