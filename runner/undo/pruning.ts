import type { Journal } from './journal.ts';
import { KeepProblem } from './seen.ts';
import type { Change, Entry } from './state.ts';
import type { Store } from './store.ts';
import type { Tree } from './tree.ts';

/** All that is kept, and what of it is in use. */
export interface Holdings {
  readonly journal: Journal;
  readonly store: Store;
  /** Those that were looked at. */
  readonly workspaces: readonly { readonly root: string; readonly tree: Tree }[];
  /** Commands that run, by their ids. */
  readonly live: ReadonlyMap<string, Entry>;
}

/** How much of the room is left filled when some is made, so that this stays rare. */
const filledShare = 0.75;

/**
 * Makes room where more than `maxBytes` are kept: the oldest commands go first, then workspaces that
 * nobody has looked at. Throws a `KeepProblem` where what is in use alone takes more.
 */
export function ensureRoom(holdings: Holdings, maxBytes: number): void {
  const { journal, store, live } = holdings;
  if (store.bytes() < maxBytes) return;
  const isRoom = (): boolean => store.bytes() <= maxBytes * filledShare;
  sweep(holdings);
  for (const entry of journal.list()) {
    if (isRoom()) return;
    if (live.has(entry.id)) continue;
    journal.remove(entry.id);
    sweep(holdings);
  }
  const opened = keysInUse(holdings);
  for (const { key } of journal.trees()) {
    if (isRoom()) return;
    if (opened.has(key)) continue;
    journal.forget(key);
    sweep(holdings);
  }
  if (store.bytes() >= maxBytes)
    throw new KeepProblem('its files take more room than undo.maxBytes allows');
}

/** Forgets what is older than `oldest`, in milliseconds, and not in use. */
export function expire(holdings: Holdings, oldest: number): void {
  const { journal, live } = holdings;
  for (const entry of journal.list())
    if (entry.at < oldest && !live.has(entry.id)) journal.remove(entry.id);
  const opened = keysInUse(holdings);
  for (const { key, usedAt } of journal.trees())
    if (usedAt < oldest && !opened.has(key)) journal.forget(key);
  sweep(holdings);
}

/** Removes contents that nothing needs any more. */
function sweep(holdings: Holdings): void {
  const { journal, store, workspaces, live } = holdings;
  const needed = new Set<string>();
  for (const entry of [...journal.list(), ...live.values()])
    for (const hash of hashesIn(entry.changes)) needed.add(hash);
  for (const { tree } of workspaces) for (const hash of tree.hashes()) needed.add(hash);
  const opened = keysInUse(holdings);
  for (const { key } of journal.trees())
    if (!opened.has(key)) for (const hash of journal.hashesOf(key)) needed.add(hash);
  store.sweep((hash) => needed.has(hash));
}

function keysInUse({ journal, workspaces }: Holdings): ReadonlySet<string> {
  return new Set(workspaces.map(({ root }) => journal.keyOf(root)));
}

function* hashesIn(changes: readonly Change[]): Generator<string> {
  for (const { before, after } of changes)
    for (const state of [before, after])
      if (state?.kind === 'file' && state.hash !== null) yield state.hash;
}
