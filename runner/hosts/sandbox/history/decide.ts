/** What the first box saw, as texts of its answers. */
export interface Seen {
  readonly inside: Side;
  /** The person's own history, at the same time. */
  readonly outside: Side;
  /** The person's index as it was when the command began; null where there was none. */
  readonly indexWas: readonly string[] | null;
  /** Values that the command knew a name to have had, by the name. */
  readonly known: ReadonlyMap<string, ReadonlySet<string>>;
  /** Paths of submodules that new commits add or change. */
  readonly gitlinks: readonly string[];
  /** What Git is in the middle of inside and not outside, and the other way round. */
  readonly begun: readonly string[];
  readonly done: readonly string[];
  readonly hasObjects: boolean;
}

/** One view of a history. */
export interface Side {
  /** Values by full names; names that stand for other names have none. */
  readonly refs: ReadonlyMap<string, string>;
  /** Text of HEAD; null where it is not a plain file. */
  readonly head: string | null;
  /** The lines of the index, `MODE OID STAGE\tPATH`; null where it cannot be read. */
  readonly index: readonly string[] | null;
  /** What is stashed, the oldest first. */
  readonly stash: readonly Stashed[];
}

export interface Stashed {
  readonly oid: string;
  readonly words: string;
}

/** What of the person's history nobody else has changed since the command began. */
export interface Unchanged {
  readonly ref: (name: string) => boolean;
  readonly head: boolean;
  readonly stash: boolean;
}

/** Lists for the second box, ready to be written down, and what is left out with the reason. */
export interface Decision {
  /** `NAME NEW OLD known|guess|kept`, a line each; OLD is `-` where the name is new. */
  readonly refs: readonly string[];
  readonly gone: readonly string[];
  /** What is stashed, the oldest first: after what is there, or, where some is dropped, in its place. */
  readonly stash: { readonly dropped: readonly string[]; readonly add: readonly Stashed[] } | null;
  readonly head: string | null;
  readonly current: string;
  readonly done: readonly string[];
  readonly index: {
    /** As `git update-index --index-info` reads them. */
    readonly lines: readonly string[];
    /** What has to be there, and to be a file's content. */
    readonly blobs: readonly string[];
    /** What the person's index has to be for that. */
    readonly was: readonly string[];
  } | null;
  /** Why nothing at all may be taken over; null where something may. */
  readonly problem: string | null;
  readonly notes: readonly string[];
}

const nothing: Decision = {
  refs: [],
  gone: [],
  stash: null,
  head: null,
  current: '',
  done: [],
  index: null,
  problem: null,
  notes: [],
};
const stashName = 'refs/stash';
const oidPattern = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/**
 * What of a command's history becomes the person's. Everything seen may be a lie: names, numbers and
 * modes are taken only as Git would make them, and nothing that another program has changed in the
 * meantime is replaced.
 *
 * @param elsewhere names that are checked out in another work tree
 */
export function decide(seen: Seen, unchanged: Unchanged, elsewhere: ReadonlySet<string>): Decision {
  const { inside, outside } = seen;
  const submodules = submodulesOf(outside.index ?? []);
  const added = seen.gitlinks.filter((path) => !submodules.has(path));
  if (added.length > 0)
    return {
      ...nothing,
      problem: `it adds or moves a submodule (${shown(added[0] ?? '')}), and a submodule made there could be another program's settings here`,
    };
  const busy = seen.begun.length > 0;
  const refs = changedRefs(seen, unchanged, elsewhere);
  const head = headOf(inside.head);
  const hasBranch = ({ refs: all }: Side): boolean =>
    [...all.keys()].some((name) => name.startsWith('refs/heads/'));
  if (head === null || (hasBranch(outside) && !hasBranch(inside)))
    return { ...nothing, problem: 'there is no history inside any more; yours is as it was' };
  const takesHead = !busy && head !== headOf(outside.head) && unchanged.head;
  const gone = [...outside.refs].filter(
    ([name]) =>
      !inside.refs.has(name) &&
      name !== stashName &&
      !elsewhere.has(name) &&
      (takesHead || outside.head?.trimEnd() !== `ref: ${name}`) &&
      unchanged.ref(name),
  );
  const current = head.startsWith('ref: ') ? head.slice('ref: '.length) : '';
  const index =
    busy || inside.index === null ? null : indexChanges(inside.index, outside.index, seen.indexWas);
  return {
    ...nothing,
    refs,
    gone: gone.map(([name, oid]) => `${name} ${oid}`),
    stash:
      inside.refs.has(stashName) || inside.stash.length === 0
        ? stashChanges(inside.stash, outside.stash, unchanged.stash)
        : null,
    head: takesHead && !elsewhere.has(current) ? head : null,
    current,
    done: busy ? [] : seen.done,
    index: typeof index === 'string' ? null : index,
    notes: typeof index === 'string' ? [index] : [],
  };
}

/** Whether there is anything for the second box to do. */
export function isEmpty({ refs, gone, stash, head, done, index }: Decision): boolean {
  return (
    refs.length + gone.length + done.length === 0 &&
    stash === null &&
    head === null &&
    index === null
  );
}

function changedRefs(
  { inside, outside, known }: Seen,
  unchanged: Unchanged,
  elsewhere: ReadonlySet<string>,
): readonly string[] {
  return [...inside.refs].flatMap(([name, oid]) => {
    const old = outside.refs.get(name);
    if (name === stashName || old === oid) return [];
    const knew = old !== undefined && (known.get(name)?.has(old) === true || unchanged.ref(name));
    const how = elsewhere.has(name) ? 'kept' : knew ? 'known' : 'guess';
    return [`${name} ${oid} ${old ?? '-'} ${how}`];
  });
}

function stashChanges(
  inside: readonly Stashed[],
  outside: readonly Stashed[],
  unchanged: boolean,
): Decision['stash'] {
  const there = new Set(outside.map(({ oid }) => oid));
  const here = new Set(inside.map(({ oid }) => oid));
  const add = inside.filter(({ oid }) => !there.has(oid));
  const dropped = outside.filter(({ oid }) => !here.has(oid)).map(({ oid }) => oid);
  if (dropped.length > 0 && unchanged) return { dropped, add: inside };
  return add.length === 0 ? null : { dropped: [], add };
}

/** A branch or a commit, as Git writes it. Names are checked by Git itself. */
function headOf(text: string | null): string | null {
  const line = text?.trimEnd() ?? '';
  if (oidPattern.test(line)) return line;
  return /^ref: refs\/heads\/[^\s\p{Cc}]+$/u.test(line) ? line : null;
}

function submodulesOf(index: readonly string[]): ReadonlySet<string> {
  return new Set(
    index.filter((line) => line.startsWith('160000 ')).map((line) => line.split('\t')[1] ?? ''),
  );
}

const indexLine = /^(100644|100755|120000|160000) ([0-9a-f]{40}|[0-9a-f]{64}) ([0-3])\t([^]+)$/;

/**
 * What makes the person's index name the same files. Entries that are the same stay as they are;
 * what an index may say beside (that a file is unchanged, or to be looked at by a program) is not
 * taken over. A sentence where it may not be.
 */
function indexChanges(
  inside: readonly string[],
  outside: readonly string[] | null,
  before: readonly string[] | null,
): Decision['index'] | string {
  if (outside === null) return 'The index was not taken over: yours cannot be read.';
  const was = byPath(before ?? []);
  const here = byPath(outside);
  const there = byPath(inside);
  const lines: string[] = [];
  const blobs = new Set<string>();
  for (const path of new Set([...here.keys(), ...there.keys()])) {
    const mine = here.get(path) ?? [];
    const theirs = there.get(path) ?? [];
    if (isSame(mine, theirs) || isSame(theirs, was.get(path) ?? [])) continue;
    if (!isSame(mine, was.get(path) ?? []))
      return `The index was not taken over: ${shown(path)} was changed here in the meantime.`;
    for (const line of theirs) {
      const [, mode = '', oid = ''] = indexLine.exec(line) ?? [];
      if (mode === '' || !isPlainPath(path))
        return `The index was not taken over: it names ${shown(line)}.`;
      if (mode === '160000' && !mine.includes(line))
        return `The index was not taken over: it adds or moves a submodule (${shown(path)}).`;
      if (mode !== '160000') blobs.add(oid);
    }
    // A path loses all its stages before it gets others.
    lines.push(
      `0 ${'0'.repeat((mine[0] ?? theirs[0])?.split(' ')[1]?.length ?? 40)}\t${path}`,
      ...theirs,
    );
  }
  return lines.length === 0 ? null : { lines, blobs: [...blobs], was: outside };
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, at) => line === other[at]);
}

function byPath(lines: readonly string[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const line of lines) {
    const path = line.slice(line.indexOf('\t') + 1);
    const known = found.get(path);
    if (known === undefined) found.set(path, [line]);
    else known.push(line);
  }
  return found;
}

/** A path as Git would store it; no part of it leads out or is Git's own, on any file system. */
function isPlainPath(path: string): boolean {
  return path
    .split('/')
    .every((part) => part !== '' && part !== '.' && part !== '..' && !isGitsOwn(part));
}

function isGitsOwn(part: string): boolean {
  const plain = Buffer.from(part, 'latin1')
    .toString()
    .replaceAll(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, '')
    .toLowerCase();
  return /^(?:\.git|git~1)[ .]*(?::.*)?$/.test(plain);
}

function shown(text: string): string {
  return JSON.stringify(Buffer.from(text.slice(0, 200), 'latin1').toString());
}
