import { fstatSync } from 'node:fs';
import type { Stats } from 'node:fs';
import {
  lookAt,
  openBelow,
  openRoot,
  putFile,
  putFolder,
  putLink,
  removeFolder,
  removeName,
  setMode,
} from './files.ts';
import type { FileOwner, OpenFolder } from './files.ts';
import { parentOf } from './rules.ts';
import { isSame } from './state.ts';
import type { Change, State } from './state.ts';
import type { Known } from './seen.ts';

/** Why a path was left as it is. */
const leftCodes = [
  /** What stands there is not what the command left. */
  'newer',
  /** Its content from before, or from after, was not kept. */
  'not-kept',
  /** What was kept is not what it was. */
  'damaged',
  /** It cannot be reached without following a link, or not any more. */
  'unsafe',
  /** It could not be written. */
  'failed',
] as const;
type LeftCode = (typeof leftCodes)[number];

/** What became of one path. */
type PathResult =
  | { readonly path: string; readonly result: 'taken-back' | 'already' }
  | { readonly path: string; readonly result: LeftCode; readonly why: string };

export interface TakenBack {
  readonly results: readonly PathResult[];
  /** What was done, as changes of its own. */
  readonly done: readonly Change[];
}

interface TakeBackPorts {
  /** Absolute; a plain path. */
  readonly root: string;
  readonly dryRun: boolean;
  /** What stands at a path now. */
  readonly known: (path: string) => Known | null;
  readonly content: (hash: string) => Buffer | null;
}

class Left extends Error {
  readonly code: LeftCode;
  constructor(code: LeftCode, why: string) {
    super(why);
    this.code = code;
  }
}

/**
 * Puts paths back as they were before, each by itself: where something newer stands, it stays. Names
 * are reached by descriptors, so that a folder exchanged for a link leads nowhere.
 */
export function takeBack(changes: readonly Change[], ports: TakeBackPorts): TakenBack {
  const results = new Map<string, PathResult>();
  const done: Change[] = [];
  const ready: Change[] = [];
  const cleared = new Set<Change>();
  for (const change of changes) {
    const { path } = change;
    const now = ports.known(path)?.state ?? null;
    try {
      if (isSame(now, change.before)) results.set(path, { path, result: 'already' });
      else {
        requireRestorable(change, now, ports);
        ready.push(change);
      }
    } catch (error) {
      results.set(path, leftOf(path, error));
    }
  }
  const run = (change: Change, step: () => void, isLast: boolean): boolean => {
    const { path, before, after } = change;
    if (results.has(path)) return false;
    try {
      step();
      if (!isLast) return true;
      results.set(path, { path, result: 'taken-back' });
      done.push({ path, before: after, after: before });
      return true;
    } catch (error) {
      results.set(path, leftOf(path, error));
      return false;
    }
  };
  const root = ports.dryRun ? null : openRoot(ports.root);
  try {
    const owner = root === null ? null : fstatSync(root.fd);
    const act = (how: (at: OpenFolder, name: string, own: FileOwner) => void, path: string) => {
      if (root !== null && owner !== null) within(root, path, (at, name) => how(at, name, owner));
    };
    // What is in a folder goes before it, and comes after it.
    for (const change of deepestFirst(ready)) {
      const { path, before, after } = change;
      if (after === null || (before !== null && !isCleared(before, after))) continue;
      const removal = (): void =>
        act((at, name) => clear(at, name, after, ports.known(path)), path);
      if (run(change, removal, before === null) && before !== null && !ports.dryRun)
        cleared.add(change);
    }
    for (const change of deepestFirst(ready).toReversed()) {
      const { path, before } = change;
      if (before === null) continue;
      const expected = cleared.has(change) ? null : ports.known(path);
      const making = (): void =>
        act((at, name, own) => restore(at, name, { state: before, expected, own, ports }), path);
      run(change, making, true);
    }
    for (const { path, before } of deepestFirst(ready))
      if (before?.kind === 'folder' && results.get(path)?.result === 'taken-back')
        try {
          act((at, name) => setMode(at, name, before.mode, null), path);
        } catch (error) {
          results.set(path, leftOf(path, error));
        }
  } finally {
    root?.close();
  }
  return { results: changes.map(({ path }) => results.get(path) as PathResult), done };
}

/** Whether what stands there has to go before the other can be made. */
function isCleared(before: State, after: State): boolean {
  return before.kind !== after.kind || before.kind === 'link';
}

function requireRestorable(
  { before, after }: Change,
  now: State | null,
  ports: TakeBackPorts,
): void {
  if (after?.kind === 'file' && after.hash === null)
    throw new Left('not-kept', 'its content is not kept, so what stands there now could be lost');
  if (!isSame(now, after)) throw new Left('newer', 'it was changed again since');
  if (before?.kind === 'other') throw new Left('not-kept', 'it was no file');
  if (before?.kind !== 'file') return;
  if (before.hash === null)
    throw new Left('not-kept', 'it was too large to be kept, or could not be read');
  if (ports.content(before.hash) === null)
    throw new Left('damaged', 'what was kept of it is damaged or gone');
}

function within(root: OpenFolder, path: string, run: (at: OpenFolder, name: string) => void): void {
  let folder: OpenFolder;
  try {
    folder = openBelow(root, parentOf(path));
  } catch {
    throw new Left('unsafe', 'the folder it lies in is gone, or was exchanged');
  }
  try {
    run(folder, path.slice(path.lastIndexOf('/') + 1));
  } finally {
    folder.close();
  }
}

/** Throws where a name is no longer what it was at the look a moment ago. */
function requireStill(at: OpenFolder, name: string, expected: Known | null): void {
  const stat = lookAt(at, name);
  if (stat === null ? expected === null : expected !== null && isThat(expected, stat)) return;
  throw new Left('newer', 'it was changed just now');
}

function isThat({ state, signature }: Known, stat: Stats): boolean {
  // The times of a folder change with what was put back in it.
  if (state.kind === 'folder') return stat.isDirectory() && stat.ino === signature[1];
  return (
    stat.ino === signature[1] &&
    stat.size === signature[2] &&
    stat.mtimeMs === signature[3] &&
    stat.ctimeMs === signature[4]
  );
}

function clear(at: OpenFolder, name: string, state: State, expected: Known | null): void {
  requireStill(at, name, expected);
  if (state.kind !== 'folder') {
    removeName(at, name);
    return;
  }
  try {
    removeFolder(at, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error;
    throw new Left('newer', 'it holds files that came later, or are not kept');
  }
}

interface Restoring {
  readonly state: State;
  readonly expected: Known | null;
  readonly own: FileOwner;
  readonly ports: TakeBackPorts;
}

function restore(at: OpenFolder, name: string, { state, expected, own, ports }: Restoring): void {
  const verify = (): void => requireStill(at, name, expected);
  verify();
  if (state.kind === 'link') putLink(at, name, state.target);
  else if (state.kind === 'folder') {
    // Its own mode comes last: it may forbid what is still to be put into it.
    if (expected === null) putFolder(at, name, 0o700, own);
  } else if (state.kind === 'file' && state.hash !== null) {
    const bytes = ports.content(state.hash);
    if (bytes === null) throw new Left('damaged', 'what was kept of it is damaged or gone');
    putFile(at, name, { bytes, mode: state.mode, owner: own, verify });
  }
}

function deepestFirst(changes: readonly Change[]): readonly Change[] {
  const depth = ({ path }: Change): number => path.split('/').length;
  return changes.toSorted((a, b) => depth(b) - depth(a));
}

function leftOf(path: string, error: unknown): PathResult {
  if (error instanceof Left) return { path, result: error.code, why: error.message };
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
  return { path, result: 'failed', why: `it could not be written (${code})` };
}
