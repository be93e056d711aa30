import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { compile, readJson, s } from '../../shared/base/index.ts';
import { checkEntry, stateSchema } from './state.ts';
import type { Entry, State } from './state.ts';
import type { Known } from './seen.ts';
import type { Tree } from './tree.ts';

/** What is written down of commands and of trees; contents are in the store. */
export interface Journal {
  /** Entries with changes, oldest first. */
  list(): readonly Entry[];
  find(id: string): Entry | null;
  /** Writes an entry; one without changes is not kept. */
  publish(entry: Entry): void;
  remove(id: string): void;
  /** From the start of a command to its end: what is found here at a start was cut off. */
  began(entry: Entry): void;
  ended(id: string): void;
  cutOff(): readonly Entry[];
  /** Takes what was last known of a workspace into its tree; false where nothing was. */
  load(workspace: string, tree: Tree, hasContent: (hash: string) => boolean): boolean;
  /** Writes down what a look has changed in a tree. */
  save(workspace: string, tree: Tree): void;
  /** Workspaces of which a tree is written down, the one that was longest not used first. */
  trees(): readonly { readonly key: string; readonly usedAt: number }[];
  keyOf(workspace: string): string;
  hashesOf(key: string): readonly string[];
  forget(key: string): void;
}

const line = s.tuple(
  s.string({ minLength: 1, maxLength: 8_192 }),
  s.nullable(stateSchema),
  s.nullable(s.tuple(s.number(), s.number(), s.number(), s.number(), s.number())),
);
const checkLine = compile(line);
const suffix = '.json';
const fileName = /^(\d{15})-([A-Za-z0-9_-]{1,64})\.json$/;

/** The journal below a folder of ours. What cannot be read there is as if it were not there. */
export function openJournal(directory: string): Journal {
  const folder = (name: string): string => {
    const path = join(directory, name);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return path;
  };
  const running = folder('running');
  return {
    ...openEntries(folder('changes')),
    ...openTrees(folder('trees')),
    began: (entry) => writeWhole(join(running, entry.id + suffix), JSON.stringify(entry)),
    ended: (id) => rmSync(join(running, id + suffix), { force: true }),
    cutOff: () =>
      readdirSync(running).flatMap((name) => {
        const entry = readEntry(join(running, name));
        if (entry === null) rmSync(join(running, name), { force: true });
        return entry ?? [];
      }),
  };
}

function openEntries(changes: string): Pick<Journal, 'list' | 'find' | 'publish' | 'remove'> {
  const names = new Map<string, string>();
  for (const name of readdirSync(changes).toSorted()) {
    const id = fileName.exec(name)?.[2];
    if (id !== undefined) names.set(id, name);
    else rmSync(join(changes, name), { force: true });
  }
  const cache = new Map<string, Entry>();
  const read = (id: string): Entry | null => {
    const known = cache.get(id);
    if (known !== undefined) return known;
    const name = names.get(id);
    const entry = name === undefined ? null : readEntry(join(changes, name));
    if (entry !== null) cache.set(id, entry);
    return entry;
  };
  const remove = (id: string): void => {
    const name = names.get(id);
    if (name !== undefined) rmSync(join(changes, name), { force: true });
    names.delete(id);
    cache.delete(id);
  };
  return {
    list: () => [...names.keys()].flatMap((id) => read(id) ?? []).toSorted((a, b) => a.at - b.at),
    find: read,
    publish: (entry) => {
      if (entry.changes.length === 0) {
        remove(entry.id);
        return;
      }
      const name = `${String(entry.at).padStart(15, '0')}-${entry.id}${suffix}`;
      writeWhole(join(changes, name), JSON.stringify(entry));
      names.set(entry.id, name);
      cache.set(entry.id, entry);
    },
    remove,
  };
}

function openTrees(
  trees: string,
): Pick<Journal, 'load' | 'save' | 'trees' | 'keyOf' | 'hashesOf' | 'forget'> {
  /** Lines in the file of a tree, by its key. */
  const lengths = new Map<string, number>();
  const keyOf = (workspace: string): string =>
    createHash('sha256').update(workspace).digest('hex').slice(0, 32);
  const treeFile = (key: string): string => join(trees, `${key}.log`);
  return {
    load: (workspace, tree, hasContent) => {
      const key = keyOf(workspace);
      const found = readTree(treeFile(key));
      lengths.set(key, found.lines);
      for (const [path, known] of [...found.known].toSorted(([a], [b]) => (a < b ? -1 : 1)))
        tree.restore(
          path,
          hasItsContent(known.state, hasContent) ? known : { ...known, isFresh: true },
        );
      return found.known.size > 0;
    },
    save: (workspace, tree) => {
      const touched = tree.touched();
      if (touched.length === 0) return;
      const key = keyOf(workspace);
      const path = treeFile(key);
      const lines = (lengths.get(key) ?? 0) + touched.length;
      if (lines > 2 * tree.size() + 1_000) {
        const all = [...tree.known()];
        writeWhole(path, all.map(([at, known]) => lineOf(at, known)).join(''));
        lengths.set(key, all.length);
      } else {
        appendFileSync(path, touched.map((at) => lineOf(at, tree.at(at))).join(''), {
          mode: 0o600,
        });
        lengths.set(key, lines);
      }
    },
    trees: () =>
      readdirSync(trees)
        .filter((name) => name.endsWith('.log'))
        .map((name) => ({ key: name.slice(0, -4), usedAt: statSync(join(trees, name)).mtimeMs }))
        .toSorted((a, b) => a.usedAt - b.usedAt),
    keyOf,
    hashesOf: (key) =>
      [...readTree(treeFile(key)).known.values()].flatMap(({ state }) =>
        state.kind === 'file' && state.hash !== null ? [state.hash] : [],
      ),
    forget: (key) => {
      rmSync(treeFile(key), { force: true });
      lengths.delete(key);
    },
  };
}

function lineOf(path: string, known: Known | null): string {
  if (known === null) return `${JSON.stringify([path, null, null])}\n`;
  const signature = known.isFresh ? null : known.signature;
  return `${JSON.stringify([path, known.state, signature])}\n`;
}

const neverSeen = [0, 0, 0, 0, 0] as const;

/** A line that was cut off by a crash ends the reading; what follows a gap would be out of order. */
function readTree(path: string): { known: Map<string, Known>; lines: number } {
  const known = new Map<string, Known>();
  let lines = 0;
  for (const text of existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []) {
    if (text === '') continue;
    const checked = readJson(checkLine, text);
    if (!checked.ok) break;
    lines += 1;
    const [at, state, signature] = checked.value;
    if (state === null) known.delete(at);
    else
      known.set(at, {
        state,
        signature: signature ?? neverSeen,
        isFresh: signature === null,
      });
  }
  return { known, lines };
}

function hasItsContent(state: State, hasContent: (hash: string) => boolean): boolean {
  return state.kind !== 'file' || state.hash === null || hasContent(state.hash);
}

function readEntry(path: string): Entry | null {
  try {
    const checked = readJson(checkEntry, readFileSync(path));
    return checked.ok ? checked.value : null;
  } catch {
    return null;
  }
}

/** Whole or not at all after a crash of the runner; a name that ends otherwise is removed at a start. */
function writeWhole(path: string, text: string): void {
  const temporary = `${path}.tmp`;
  writeFileSync(temporary, text, { mode: 0o600 });
  renameSync(temporary, path);
}
