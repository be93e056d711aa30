import { randomUUID } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { compile, readJson, s } from '../base/index.ts';
import type { Static } from '../base/index.ts';
import { ensurePrivateDirectory, readPrivateFile, writeFileAtomic } from './files.ts';
import { ownUid } from './paths.ts';
import type { HomePaths } from './paths.ts';
import {
  prepareReadyLock,
  readPauseState,
  removeRuntimeLocks,
  writeLockoutState,
  writePauseState,
} from './stop-state.ts';

const codes = [
  'lockout',
  'lockout-done',
  'unlock',
  'unlock-refused',
  'box-lockout',
  'box-unlock',
  'pause',
  'resume',
  'device-paired',
  'device-revoked',
] as const;

const longestText = 2_000;

/** Something that was done to the stop switch, or to who may reach it, by another process than the runner. */
const stopNote = s.object({
  /** Milliseconds since the epoch. */
  at: s.number(),
  code: s.oneOf(codes),
  by: s.string({ maxLength: 200 }),
  text: s.string({ maxLength: longestText }),
});
type StopNote = Static<typeof stopNote>;

const check = compile(stopNote);

/** A file beside the notes, whose change a runner hears of. */
const told = '.told';

/** What a runner watches so that it takes a note at once; its folder is made where it is absent. */
export function stopNotesToWatch(paths: Pick<HomePaths, 'lockout'>, uid: number): string {
  const directory = stopNotesDirectory(paths);
  ensurePrivateDirectory(directory, { uid });
  return join(directory, told);
}

/** `state/stop-notes/`: notes that wait for a runner to take them into the audit log. */
function stopNotesDirectory({ lockout }: Pick<HomePaths, 'lockout'>): string {
  return join(dirname(lockout), 'stop-notes');
}

/** Keeps a note, durably, until a runner takes it. Throws when it cannot be written. */
export function keepStopNote(
  paths: Pick<HomePaths, 'lockout'>,
  note: StopNote,
  uid = ownUid(),
): void {
  const directory = stopNotesDirectory(paths);
  ensurePrivateDirectory(directory, { uid });
  // Named by their order; the clock may have jumped, so this is for reading and nothing else.
  const name = `${String(note.at).padStart(15, '0')}-${randomUUID()}.json`;
  const text = JSON.stringify({ ...note, text: note.text.slice(0, longestText) });
  writeFileAtomic(join(directory, name), `${text}\n`);
  try {
    writeFileAtomic(join(directory, told), '', { outlives: 'process' });
  } catch {
    // The note is kept, and is found at the next look.
  }
}

/**
 * Hands each kept note to `take`, oldest first, and forgets it then. After a crash in between, a
 * note comes a second time: better twice than never. One that is damaged is named in a note.
 */
export function takeStopNotes(
  paths: Pick<HomePaths, 'lockout'>,
  uid: number,
  take: (note: StopNote | { readonly damaged: string }) => void,
): void {
  const directory = stopNotesDirectory(paths);
  for (const name of namesIn(directory)) {
    const file = readPrivateFile(join(directory, name), { uid, maxBytes: 16 * 1024 });
    const checked = file.kind === 'text' ? readJson(check, file.text) : null;
    take(checked?.ok === true ? checked.value : { damaged: name });
    rmSync(join(directory, name), { force: true, recursive: true });
  }
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
      .filter((name) => name.endsWith('.json'))
      .toSorted();
  } catch {
    return [];
  }
}

interface OpenLockOptions {
  readonly uid: number;
  readonly now: number;
  /** Who was found to be present, such as `person at a terminal`. */
  readonly by: string;
}

/**
 * Opens the lock. Whoever calls this has checked that a person is there. The note for the audit log
 * and the next ready lock come first: without them nothing is opened. A pause that holds goes on
 * holding; one that cannot be understood is replaced. Throws when the disk cannot be written.
 */
export function openLock(
  paths: Pick<HomePaths, 'home' | 'lockout' | 'pause'>,
  { uid, now, by }: OpenLockOptions,
): void {
  keepStopNote(paths, { at: now, code: 'unlock', by, text: `Unlocked by ${by}.` });
  prepareReadyLock(paths, uid);
  if (!readPauseState(paths, uid).ok)
    writePauseState(paths, { paused: false, reason: null, at: now, by });
  writeLockoutState(paths, { locked: false, reason: null, at: now, by });
  removeRuntimeLocks(paths.home, uid);
}
