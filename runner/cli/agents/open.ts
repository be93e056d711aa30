import { randomBytes } from 'node:crypto';
import { systemClock } from '../../../shared/node/clock/system.ts';
import { homePaths } from '../../../shared/node/home/paths.ts';
import type { HomePaths } from '../../../shared/node/home/paths.ts';
import { openSecretStore } from '../../../shared/node/secrets/open.ts';
import type { SecretStoreKind } from '../../../shared/node/secrets/types.ts';
import { readStopState } from '../../../shared/node/stop-state/read.ts';
import { refuse } from '../../../shared/refusal/refusal.ts';
import { createPrincipals } from '../../principals/principals.ts';
import type { Principals } from '../../principals/types.ts';
import { requireHome } from './home.ts';
import type { Io } from '../io.ts';

export interface OpenAgents {
  readonly paths: HomePaths;
  readonly principals: Principals;
  readonly store: SecretStoreKind;
}

/** The agents of the home. The runner need not run; when it does, it sees a change at once. */
export async function openAgents(io: Io): Promise<OpenAgents> {
  const paths = homePaths(io.env);
  requireHome(paths);
  const uid = process.geteuid?.() ?? -1;
  const directory = paths.keysDirectory;
  const secrets = await openSecretStore({ home: paths.home, directory, uid, clock: systemClock });
  const principals = createPrincipals({
    directory,
    secrets,
    uid,
    now: io.now,
    random: randomBytes,
  });
  return { paths, principals, store: secrets.kind };
}

/** Keys that were taken away in a lockout come back only after a person has unlocked. */
export function requireUnlocked(paths: HomePaths): void {
  if (readStopState(paths).mode !== 'locked') return;
  throw refuse(
    'lockout-active',
    'Interlock is locked, and no key is issued until a person has unlocked it.',
    'Unlock first: interlock unlock',
  );
}

/** Where the runner keeps its copies of the keys, plainly. */
export function storeSentence(store: SecretStoreKind, { keysDirectory }: HomePaths): string {
  return store === 'keychain'
    ? "The runner's copies are in the system's keychain."
    : `The runner's copies are in 0600 files below ${keysDirectory}: no keychain answered. Programs of your user can read them.`;
}
