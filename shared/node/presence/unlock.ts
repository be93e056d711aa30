import { refuse } from '../../refusal/refusal.ts';
import type { HomePaths } from '../home/paths.ts';
import { keepStopNote } from '../stop-state/journal.ts';
import { openLock } from '../stop-state/open.ts';
import { countAttempt, forgetAttempts } from './attempts.ts';
import { hasPassphrase, verifyPassphrase } from './passphrase.ts';

export interface UnlockOptions {
  readonly paths: HomePaths;
  readonly uid: number;
  readonly now: () => number;
  /** Who asks, for the record: `person at a terminal`, `person at the app`. */
  readonly by: string;
  /** Told before a wait after wrong attempts, in milliseconds. */
  readonly onWait?: (ms: number) => void;
  readonly sleep?: (ms: number) => Promise<void>;
}

/**
 * Opens the lock for whoever knows the passphrase. It writes the state files itself: no runner can
 * be asked to do it, so nothing that talks to a runner can unlock. Throws `config-invalid` when no
 * passphrase is set and `confirm-rejected` when this is not it.
 */
export async function unlockWithPassphrase(
  passphrase: string,
  options: UnlockOptions,
): Promise<void> {
  const { paths, uid, now, by } = options;
  await requirePassphrase(passphrase, options);
  openLock(paths, { uid, now: now(), by });
}

/** Throws unless this is the passphrase. Waits longer with each wrong one before it. */
export async function requirePassphrase(passphrase: string, options: UnlockOptions): Promise<void> {
  const { paths, uid, now, by, sleep = wait } = options;
  const file = { path: paths.passphrase, uid };
  if (!hasPassphrase(file)) throw noPassphrase();
  const attempts = { path: `${paths.passphrase}.attempts`, uid };
  const pause = await countAttempt(attempts);
  if (pause > 0) {
    options.onWait?.(pause);
    await sleep(pause);
  }
  if (await verifyPassphrase(passphrase, file)) {
    forgetAttempts(attempts);
    return;
  }
  const text = `A wrong passphrase was given by ${by}.`;
  keepStopNote(paths, { at: now(), code: 'unlock-refused', by, text }, uid);
  throw refuse(
    'confirm-rejected',
    'That is not the passphrase.',
    'Try again. Each wrong one makes the next wait longer.',
  );
}

function noPassphrase(): Error {
  return refuse(
    'config-invalid',
    'No passphrase has been set, so nothing can be unlocked with one.',
    'At a terminal on this machine: interlock unlock — it lets you set one first.',
  );
}

async function wait(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}
