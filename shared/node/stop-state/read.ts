import { readPrivateFile } from '../files/private-file.ts';
import type { HomePaths } from '../home/paths.ts';
import type { Check } from '../../schema/compile.ts';
import { checkLockout, checkPause } from './schema.ts';
import type { LockoutState, PauseState, StopState } from './types.ts';

const maxBytes = 16 * 1024;

/** One state file, or what is wrong with it. */
export type StateFile<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

/**
 * What the state files say at this moment. Read afresh each time, so that a lockout written by
 * another process holds at once. A file that is missing, unreadable, malformed, a link, somebody
 * else's or open to others means locked. Times in the files decide nothing.
 */
export function readStopState(
  paths: Pick<HomePaths, 'lockout' | 'pause'>,
  uid = process.geteuid?.() ?? -1,
): StopState {
  const lockout = readLockoutState(paths, uid);
  if (!lockout.ok) return { mode: 'locked', reason: lockout.problem };
  if (lockout.value.locked) return { mode: 'locked', reason: lockout.value.reason };
  const pause = readPauseState(paths, uid);
  if (!pause.ok) return { mode: 'locked', reason: pause.problem };
  return { mode: pause.value.paused ? 'paused' : 'armed', reason: pause.value.reason };
}

/** `state/lockout.json`; never throws. */
export function readLockoutState(
  { lockout }: Pick<HomePaths, 'lockout'>,
  uid = process.geteuid?.() ?? -1,
): StateFile<LockoutState> {
  return read(lockout, uid, checkLockout);
}

/** `state/pause.json`; never throws. */
export function readPauseState(
  { pause }: Pick<HomePaths, 'pause'>,
  uid = process.geteuid?.() ?? -1,
): StateFile<PauseState> {
  return read(pause, uid, checkPause);
}

function read<T>(path: string, uid: number, check: Check<T>): StateFile<T> {
  const file = readPrivateFile(path, { uid, maxBytes });
  if (file.kind === 'missing') return { ok: false, problem: `${path} is missing.` };
  if (file.kind === 'unsafe') return { ok: false, problem: `${path} ${file.why}.` };
  const checked = check(parseJson(file.text));
  if (checked.ok) return checked;
  return { ok: false, problem: `${path} cannot be understood.` };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
