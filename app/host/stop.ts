import { refuse } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import type { Assertion, Passkey } from '../../shared/engine/index.ts';
import { readStopState, watchFile } from '../../shared/home/index.ts';
import type { HomePaths, StopState } from '../../shared/home/index.ts';
import {
  bringAgentsBack,
  hasItsDevice,
  lockOut as lockOutHome,
  unlockWithPasskey,
  unlockWithPassphrase,
} from '../../shared/operations/index.ts';
import type {
  LockOutOptions as HomeLockOutOptions,
  Nonces,
} from '../../shared/operations/index.ts';
import type { BridgeCalls } from '../bridge/types.ts';
import { writeTrouble } from './refusals.ts';

/** What the files of lockout and pause say, whoever writes them. */
interface StopWatch {
  state(): StopState;
  /** Reads the files now. */
  look(): void;
  dispose(): void;
}

interface StopWatchOptions {
  readonly clock: Clock;
  readonly onChange: () => void;
}

/** Watches both files until `close`. */
export function watchStopState(
  paths: Pick<HomePaths, 'home' | 'lockout' | 'pause'>,
  { clock, onChange }: StopWatchOptions,
): StopWatch {
  let state = readStopState(paths);
  const look = (): void => {
    const now = readStopState(paths);
    if (now.mode === state.mode && now.reason === state.reason) return;
    state = now;
    onChange();
  };
  const stops = [paths.lockout, paths.pause].map((path) => watchFile(path, { look, clock }));
  return {
    state: () => state,
    look,
    dispose: () => {
      for (const stop of stops) stop();
    },
  };
}

interface LockOutOptions extends Pick<HomeLockOutOptions, 'keys' | 'processes' | 'graceMs'> {
  readonly runner: HomeLockOutOptions['runner'];
  readonly paths: HomePaths;
  readonly uid: number;
  readonly clock: Clock;
}

/**
 * Locks everything out. The runner does it when it answers; when none does, the lock is closed and
 * the rest is done from here. Throws only when nothing could be locked.
 */
export async function lockOut(
  options: LockOutOptions,
  reason: string,
): Promise<BridgeCalls['lockout']['result']> {
  try {
    const { stored: _stored, ...done } = await lockOutHome({ ...options, reason, by: 'person' });
    return done;
  } catch (error) {
    const hint = 'Nothing is locked by this. End the runner yourself: nothing runs without it.';
    throw writeTrouble(error, { path: options.paths.lockout, hint }) ?? error;
  }
}

interface UnlockOptions {
  readonly paths: HomePaths;
  readonly uid: number;
  readonly clock: Clock;
  readonly sleep?: (ms: number) => Promise<void>;
}

const appBy = 'person at the app';

/**
 * Unlocks with the person's passphrase, which is stored nowhere, and gives agents new keys where
 * that is wanted. No runner is needed for it.
 */
export async function unlock(
  options: UnlockOptions,
  { passphrase, agents = false }: BridgeCalls['unlock']['args'],
): Promise<BridgeCalls['unlock']['result']> {
  const now = (): number => options.clock.now();
  return unlocked(
    options,
    unlockWithPassphrase(passphrase, { ...options, now, by: appBy }),
    agents,
  );
}

interface PasskeyShown {
  readonly nonce: string;
  readonly assertion: Assertion;
  readonly agents?: boolean | undefined;
}

/** The same by a passkey that signed for it with this nonce. */
export async function unlockByPasskey(
  options: UnlockOptions & { readonly nonces: Pick<Nonces, 'once'> },
  { nonce, assertion, agents = false }: PasskeyShown,
): Promise<BridgeCalls['unlockWithPasskey']['result']> {
  const now = (): number => options.clock.now();
  const hasDevice = (key: Pick<Passkey, 'id' | 'rpId'>): boolean => hasItsDevice(key, options);
  const how = { ...options, now, by: appBy, nonce, hasDevice };
  return unlocked(options, unlockWithPasskey(assertion, how), agents);
}

async function unlocked(
  options: UnlockOptions,
  opening: Promise<void>,
  agents: boolean,
): Promise<Record<string, never>> {
  try {
    await opening;
  } catch (error) {
    const hint = 'It stays locked. Make room or mend its permissions, then unlock again.';
    throw writeTrouble(error, { path: options.paths.lockout, hint }) ?? error;
  }
  try {
    if (agents) await bringAgentsBack(options.paths, options);
    return {};
  } catch (error) {
    throw refuse(
      'config-invalid',
      'Everything is unlocked, but the agents have no new keys yet.',
      'At a terminal: interlock agents rekey --all',
      { cause: error },
    );
  }
}
