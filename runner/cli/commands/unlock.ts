import { Command } from 'commander';
import { displayPlain } from '../../../shared/base/index.ts';
import { keepStopNote, openHome } from '../../../shared/home/index.ts';
import {
  hasPassphrase,
  requirePassphrase,
  unlockWithPassphrase,
} from '../../../shared/operations/index.ts';
import { runnerClient } from '../../../shared/ipc/index.ts';
import { openAgents, restoredSentence } from '../agent-keys.ts';
import type { CommandModule } from '../command-table.ts';
import { exitCodes } from '../io.ts';
import { CliError } from '../failure.ts';
import { boxLocks } from '../../boxes/locks.ts';
import { openBoxRecords } from '../../boxes/record.ts';
import { say } from '../io.ts';
import type { Io } from '../io.ts';
import { choosePassphrase } from '../presence.ts';
import { requirePersonHere } from '../presence.ts';
import { readHidden } from '../presence.ts';
import { sayWait } from '../presence.ts';

/** `interlock unlock`: a person at a terminal ends a lockout. */
export const declare: CommandModule['declare'] = (io, done) =>
  new Command('unlock')
    .description('Ends a lockout, for a person at a terminal who knows the passphrase.')
    .option('--box <name>', 'the lockout of this named box, and of nothing else')
    .option('--agents', 'give every agent whose key was taken away a new one')
    .addHelpText(
      'after',
      `
Examples:
  interlock unlock
  interlock unlock --agents
  interlock unlock --box fix

Without --agents, agents that had keys get new ones with "interlock agents rekey --all".`,
    )
    .action(async ({ agents = false, box }: UnlockFlags) => {
      const home = openHome(io.env, { asOwner: true });
      const { uid } = home;
      requirePersonHere(io, home);
      if (box !== undefined) {
        await unlockBox(io, home, box);
        done(exitCodes.ok);
        return;
      }
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

interface UnlockFlags {
  readonly agents?: boolean;
  readonly box?: string;
}

/** The box may start again; it does not by itself. */
async function unlockBox(io: Io, home: ReturnType<typeof openHome>, name: string): Promise<void> {
  const { uid } = home;
  const locks = boxLocks(openBoxRecords(home.boxesDirectory, uid), uid);
  const lock = locks.of(name);
  if (lock === null) {
    say(io.stdout, `The box "${name}" is not locked; nothing was changed.`);
    return;
  }
  if (lock.reason !== null) say(io.stdout, `Locked: ${displayPlain(lock.reason)}`);
  const file = { path: home.passphrase, uid };
  if (!hasPassphrase(file)) await choosePassphrase(io, file);
  const passphrase = await readHidden(io, 'Passphrase: ');
  const by = 'person at a terminal';
  await requirePassphrase(passphrase, { paths: home, uid, now: io.now, by, onWait: sayWait(io) });
  const text = `The box "${name}" was unlocked by ${by}.`;
  keepStopNote(home, { at: io.now(), code: 'box-unlock', by, text }, uid);
  locks.open(name);
  say(io.stdout, `Unlocked. Start it: interlock box start ${name}`);
}

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
