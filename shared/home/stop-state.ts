import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  unlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { compile, readJson, s } from '../base/index.ts';
import type { Check, Static } from '../base/index.ts';
import { readPrivateFile, writeFileAtomic } from './files.ts';
import { ownUid } from './paths.ts';
import type { HomePaths } from './paths.ts';
import { homeTag } from './processes.ts';

const common = {
  version: s.literal(1),
  reason: s.nullable(s.string()),
  /** Milliseconds since the epoch. */
  at: s.number(),
  /** Who pulled the cord: `person`, `cli`, `init`, … */
  by: s.string(),
};

/** `state/lockout.json`: whether everything is locked. */
export const lockoutState = s.object({ ...common, locked: s.boolean() });
type LockoutState = Static<typeof lockoutState>;
const checkLockout = compile(lockoutState);

/** `state/pause.json`: whether new requests wait for a `resume`. */
export const pauseState = s.object({ ...common, paused: s.boolean() });
type PauseState = Static<typeof pauseState>;
const checkPause = compile(pauseState);

/** What both files together say; anything doubtful about them is `locked`. */
export interface StopState {
  readonly mode: 'armed' | 'paused' | 'locked';
  readonly reason: string | null;
}

/** The lock that lies ready: renaming it into place needs no room on the disk. */
export function readyLockPath({ lockout }: Pick<HomePaths, 'lockout'>): string {
  return join(dirname(lockout), 'lockout.ready');
}

/** Makes the ready lock unless a good one is there. Throws when it cannot be written. */
export function prepareReadyLock(paths: Pick<HomePaths, 'lockout'>, uid = ownUid()): void {
  const path = readyLockPath(paths);
  const there = readPrivateFile(path, { uid, maxBytes: 4_096 });
  if (there.kind === 'text' && there.text === readyText) return;
  writeFileAtomic(path, readyText);
}

const readyText = `${JSON.stringify(
  {
    version: 1,
    locked: true,
    reason: 'Locked while the disk could not be written; the reason is not known.',
    at: 0,
    by: 'ready lock',
  } satisfies LockoutState,
  null,
  2,
)}\n`;

/** Writes `state/lockout.json` so that it outlives a crash once this returns. Throws when it cannot. */
export function writeLockoutState(
  paths: Pick<HomePaths, 'lockout'>,
  state: Omit<LockoutState, 'version'>,
): void {
  writeState(paths.lockout, { version: 1, ...state });
}

/** Writes `state/pause.json` in the same way. */
export function writePauseState(
  paths: Pick<HomePaths, 'pause'>,
  state: Omit<PauseState, 'version'>,
): void {
  writeState(paths.pause, { version: 1, ...state });
}

/**
 * The state that `interlock init` leaves: neither locked nor paused. Files that are there already
 * stay as they are, so that running `init` again never opens a lock.
 */
export function writeInitialStopState(paths: HomePaths, now: number): void {
  const fresh = { reason: null, at: now, by: 'init' };
  mkdirSync(paths.stateDirectory, { recursive: true, mode: 0o700 });
  prepareReadyLock(paths);
  if (!existsSync(paths.pause)) writePauseState(paths, { paused: false, ...fresh });
  if (!existsSync(paths.lockout)) writeLockoutState(paths, { locked: false, ...fresh });
}

function writeState(path: string, value: LockoutState | PauseState): void {
  writeFileAtomic(path, `${JSON.stringify(value, null, 2)}\n`);
}

const maxBytes = 16 * 1024;

/** One state file, or what is wrong with it. */
type StateFile<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

/**
 * What the state files say at this moment. Read afresh each time, so that a lockout written by
 * another process holds at once. A file that is missing, unreadable, malformed, a link, somebody
 * else's or open to others means locked. Times in the files decide nothing.
 */
export function readStopState(
  paths: Pick<HomePaths, 'home' | 'lockout' | 'pause'>,
  uid = ownUid(),
): StopState {
  const held = heldElsewhere(paths.home, uid);
  if (held !== null) return held;
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
  uid = ownUid(),
): StateFile<LockoutState> {
  return read(lockout, uid, checkLockout);
}

/** `state/pause.json`; never throws. */
export function readPauseState(
  { pause }: Pick<HomePaths, 'pause'>,
  uid = ownUid(),
): StateFile<PauseState> {
  return read(pause, uid, checkPause);
}

function read<T>(path: string, uid: number, check: Check<T>): StateFile<T> {
  const file = readPrivateFile(path, { uid, maxBytes });
  if (file.kind === 'missing') return { ok: false, problem: `${path} is missing.` };
  if (file.kind === 'unsafe') return { ok: false, problem: `${path} ${file.why}.` };
  const checked = readJson(check, file.text);
  if (checked.ok) return checked;
  return { ok: false, problem: `${path} cannot be understood.` };
}

/** How a lock came onto the disk, from the best way to the last. */
export type LockStored = 'written' | 'ready' | 'removed' | 'runtime';

/**
 * Brings a lock onto the disk by whatever still works: written with its reason, else the one that
 * lies ready, else no file at all, since missing means locked, else a file outside the home, which
 * holds until the machine starts again. Throws the first error when even that fails.
 */
export function closeLock(
  paths: Pick<HomePaths, 'home' | 'lockout'>,
  state: Omit<LockoutState, 'version' | 'locked'>,
  uid = ownUid(),
): LockStored {
  try {
    writeLockoutState(paths, { locked: true, ...state });
    return 'written';
  } catch (error) {
    if (tried(() => renameSync(readyLockPath(paths), paths.lockout), paths)) return 'ready';
    if (tried(() => unlinkSync(paths.lockout), paths)) return 'removed';
    if (heldOutside(paths.home, uid, { version: 1, locked: true, ...state })) return 'runtime';
    throw error;
  }
}

/**
 * Folders in memory where a lock of a home that cannot be written may stand. Every process has to
 * find the same ones, so the environment has no say: a cron job has none of a session's variables.
 */
function runtimeFolders(uid: number): readonly string[] {
  return [`/run/user/${String(uid)}/interlock`, `/tmp/interlock-${String(uid)}`];
}

/** Where a lock outside the home stands; the first that can be written is taken. */
export function runtimeLockPaths(home: string, uid: number): readonly string[] {
  return runtimeFolders(uid).map((folder) => join(folder, `lock-${homeTag(home)}.json`));
}

function heldOutside(home: string, uid: number, state: LockoutState): boolean {
  return runtimeLockPaths(home, uid).some((path) => {
    try {
      mkdirSync(dirname(path), { mode: 0o700 });
    } catch {
      // There already, or it cannot be had; the next lines tell which.
    }
    try {
      if (!isOwnFolder(dirname(path), uid)) return false;
      writeState(path, state);
      return true;
    } catch {
      return false;
    }
  });
}

/** Nobody else may lock us out, or make us believe that we are not. */
function isOwnFolder(folder: string, uid: number): boolean {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  return stats?.isDirectory() === true && stats.uid === uid && (stats.mode & 0o077) === 0;
}

function heldElsewhere(home: string, uid: number): StopState | null {
  for (const path of runtimeLockPaths(home, uid)) {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) continue;
    if (!isOwnFolder(dirname(path), uid)) continue;
    const state = read(path, uid, checkLockout);
    return { mode: 'locked', reason: state.ok ? state.value.reason : state.problem };
  }
  return null;
}

/** Takes away a lock that stands outside the home. Throws when one stays. */
export function removeRuntimeLocks(home: string, uid: number): void {
  for (const path of runtimeLockPaths(home, uid))
    if (isOwnFolder(dirname(path), uid)) rmSync(path, { force: true });
}

function tried(work: () => void, { lockout }: Pick<HomePaths, 'lockout'>): boolean {
  try {
    work();
  } catch {
    return false;
  }
  try {
    const directory = openSync(dirname(lockout), 'r');
    try {
      fsyncSync(directory);
    } finally {
      closeSync(directory);
    }
  } catch {
    // In place for every process that looks; whether it outlives a power cut is the disk's to say.
  }
  return true;
}
