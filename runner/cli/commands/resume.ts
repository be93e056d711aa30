import { Command } from 'commander';
import { openHome } from '../../../shared/home/index.ts';
import { hasPassphrase, resume } from '../../../shared/operations/index.ts';
import { runnerClient } from '../../../shared/ipc/index.ts';
import { refuse } from '../../../shared/base/index.ts';
import type { CommandModule } from '../command-table.ts';
import { say } from '../io.ts';
import { choosePassphrase, readHidden, requirePersonHere } from '../presence.ts';

/** `interlock resume`: ends a pause. A lockout it does not end. */
export const declare: CommandModule['declare'] = (io, done) =>
  new Command('resume')
    .description('Ends a pause, or lets an agent go on. It does not end a lockout.')
    .option('--agent <name>', 'an agent that was stopped because its hooks no longer ask')
    .addHelpText('after', '\nExamples:\n  interlock resume\n  interlock resume --agent claude')
    .action(async ({ agent }: { readonly agent?: string }) => {
      const paths = openHome(io.env, { asOwner: true });
      const socketPath = paths.clientSocket();
      const runner = runnerClient({ socketPath });
      if (agent !== undefined) {
        requirePersonHere(io, paths);
        const file = { path: paths.passphrase, uid: paths.uid };
        if (!hasPassphrase(file)) await choosePassphrase(io, file);
        await runner.resume({ agent, passphrase: await readHidden(io, 'Passphrase: ') });
        say(io.stdout, `"${agent}" may go on. Its hooks are held against how they are now.`);
        done(0);
        return;
      }
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
