import { Command } from 'commander';
import { displayPlain } from '../../../shared/base/index.ts';
import { openHome } from '../../../shared/home/index.ts';
import { hasPassphrase, unlockWithPassphrase } from '../../../shared/operations/index.ts';
import { runnerClient } from '../../../shared/ipc/index.ts';
import { openAgents, restoredSentence } from '../agent-keys.ts';
import type { CommandModule } from '../command-table.ts';
import { exitCodes } from '../io.ts';
import { CliError } from '../failure.ts';
import { say } from '../io.ts';
import { choosePassphrase } from '../presence.ts';
import { requirePersonHere } from '../presence.ts';
import { readHidden } from '../presence.ts';
import { sayWait } from '../presence.ts';

/** `interlock unlock`: a person at a terminal ends a lockout. */
export const declare: CommandModule['declare'] = (io, done) =>
  new Command('unlock')
    .description('Ends a lockout, for a person at a terminal who knows the passphrase.')
    .option('--agents', 'give every agent whose key was taken away a new one')
    .addHelpText(
      'after',
      `
Examples:
  interlock unlock
  interlock unlock --agents

Without --agents, agents that had keys get new ones with "interlock agents rekey --all".`,
    )
    .action(async ({ agents = false }: { readonly agents?: boolean }) => {
      const home = openHome(io.env, { asOwner: true });
      const { uid } = home;
      requirePersonHere(io, home);
      const { mode, reason } = home.stopState();
      if (mode !== 'locked') {
        say(io.stdout, 'Interlock is not locked; nothing was changed.');
        done(exitCodes.ok);
        return;
      }
      if (reason !== null) say(io.stdout, `Locked: ${displayPlain(reason)}`);
      const file = { path: home.passphrase, uid };
      if (!hasPassphrase(file)) await choosePassphrase(io, file);
      const passphrase = await readHidden(io, 'Passphrase: ');
      const by = 'person at a terminal';
      await unlockWithPassphrase(passphrase, {
        paths: home,
        uid,
        now: io.now,
        by,
        onWait: sayWait(io),
      });
      await requireRunnerFollows(home.runnerSocket);
      say(io.stdout, 'Unlocked.');
      say(
        io.stdout,
        agents
          ? restoredSentence(await (await openAgents(io)).principals.restoreAll())
          : 'Agents that had keys need new ones: interlock agents rekey --all',
      );
      done(exitCodes.ok);
    });

/** A runner that could not write its lock to the disk holds it in memory until it ends. */
async function requireRunnerFollows(socketPath: string): Promise<void> {
  const status = await runnerClient({ socketPath })
    .status()
    .catch(() => null);
  if (status?.mode !== 'locked') return;
  throw new CliError(
    'The files are unlocked, but the runner that is up holds the lock until it ends.',
    'Stop the runner and start it again.',
  );
}
