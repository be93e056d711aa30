import { Command } from 'commander';
import { becomeOwner, clientSocket, homePaths } from '../../../shared/home/index.ts';
import { pause } from '../../../shared/operations/index.ts';
import { runnerClient } from '../../../shared/ipc/index.ts';
import type { CommandModule } from '../command-table.ts';
import { say } from '../io.ts';

/** `interlock pause`: refuses new commands until `resume`; what runs goes on. */
export const declare: CommandModule['declare'] = (io, done) =>
  new Command('pause')
    .description('Refuses new commands until "interlock resume". What runs already goes on.')
    .option('--reason <words>', 'why; shown wherever something is refused because of it')
    .addHelpText('after', "\nExample:\n  interlock pause --reason 'lunch'")
    .action(async (options: { readonly reason?: string }) => {
      const paths = homePaths(io.env);
      becomeOwner(paths.home);
      const socketPath = clientSocket(io.env, paths);
      const runner = runnerClient({ socketPath });
      if (socketPath === paths.runnerSocket)
        await pause({ runner, paths, now: io.now, by: 'command line' }, options.reason ?? null);
      else await runner.pause(options.reason);
      say(io.stdout, 'Paused. "interlock resume" goes on.');
      done(0);
    });
