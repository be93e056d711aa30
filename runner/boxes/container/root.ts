import { dirname } from 'node:path';
import { refuse } from '../../../shared/base/index.ts';
import type { Entry, FileNumber } from '../../hosts/sandbox/message.ts';

/** Something that an engine mounts. Those further up come first. */
export type ContainerMount =
  | { readonly kind: 'tmpfs'; readonly target: string; readonly options: string }
  | {
      readonly kind: 'bind';
      readonly target: string;
      readonly source: string;
      readonly writable: boolean;
    };

/** The root of a box as an engine builds it: a folder of ours, read-only, and what is mounted in it. */
export interface ContainerRoot {
  /** Folders of that folder, each after those that it lies in. */
  readonly folders: readonly string[];
  /** Its files; an empty one is the place of a mount, too. Nothing secret is among them. */
  readonly files: readonly { readonly target: string; readonly content: string }[];
  readonly links: readonly { readonly target: string; readonly to: string }[];
  readonly mounts: readonly ContainerMount[];
  /** What the first process finds or puts there: it believes nobody about it. */
  readonly inside: readonly Entry[];
}

export interface HostLook {
  /** What lies at a path no part of which is a link; null where there is nothing, or a link. */
  readonly kindOf: (path: string) => 'directory' | 'file' | null;
  /** An empty file of ours, which lies over what is to be hidden. */
  readonly nothing: { readonly path: string; readonly identity: FileNumber };
}

type Mounted = Extract<Entry, { kind: 'tmpfs' | 'bind' }>;

/**
 * The same root as `entries` ask of our own launcher, for an engine that mounts by path and by depth.
 * Throws `host-unavailable` for what no engine can hold: a layer over a folder, and files of ours in
 * the person's own folders.
 */
export function containerRoot(entries: readonly Entry[], host: HostLook): ContainerRoot {
  const mounts = new Map<string, Mounted>();
  const own = new Map<string, Entry>();
  const inside: Entry[] = [];
  const forgetBelow = (target: string): void => {
    for (const known of [mounts, own])
      for (const each of known.keys()) if (isBelow(each, target)) known.delete(each);
    const left = inside.filter((one) => one.target !== target && !isBelow(one.target, target));
    inside.splice(0, inside.length, ...left);
  };
  const put = (entry: Entry): void => {
    const over = mountOf(entry.target, mounts);
    if (over?.kind === 'bind') {
      const taken = inBind(entry, over, host);
      if (taken === null) return;
      if (taken.kind === 'bind' || taken.kind === 'tmpfs') mounts.set(taken.target, taken);
      inside.push(taken);
      return;
    }
    if (entry.kind === 'bind' || entry.kind === 'tmpfs') {
      forgetBelow(entry.target);
      mounts.set(entry.target, entry);
    } else if (over === null) own.set(entry.target, entry);
    inside.push(entry);
  };
  for (const entry of entries) {
    if (entry.kind === 'rights') continue;
    if (entry.kind === 'overlay') throw cannotHold(`a layer over ${entry.lower}`);
    put(entry);
  }
  return { ...skeleton(own, mounts, host), mounts: mountsOf(mounts), inside };
}

/** What an entry comes to in a folder of the person's, where nothing is made; null for nothing. */
function inBind(
  entry: Entry,
  over: Extract<Entry, { kind: 'bind' }>,
  { kindOf, nothing }: HostLook,
): Entry | null {
  const there = kindOf(over.source + entry.target.slice(over.target.length));
  switch (entry.kind) {
    case 'file':
      if (entry.content !== '') throw cannotHold(`a file of its own at ${entry.target}`);
      if (there === null) return null;
      if (there === 'directory') throw cannotHold(`nothing in the place of ${entry.target}`);
      return {
        kind: 'bind',
        target: entry.target,
        source: nothing.path,
        identity: nothing.identity,
      };
    case 'bind':
      if (there !== null) return entry;
      if (entry.ifPresent === true) return null;
      throw cannotHold(`a place at ${entry.target}, where nothing is`);
    case 'tmpfs':
    case 'directory':
      if (there === 'directory') return entry;
      throw cannotHold(`a folder at ${entry.target}, where none is`);
    default:
      throw cannotHold(`a link at ${entry.target}`);
  }
}

/** The folder of ours: what lies in no mount, and the places that others are mounted on. */
function skeleton(
  own: ReadonlyMap<string, Entry>,
  mounts: ReadonlyMap<string, Mounted>,
  { kindOf }: HostLook,
): Pick<ContainerRoot, 'folders' | 'files' | 'links'> {
  const folders = new Set<string>();
  const files = new Map<string, string>();
  const links: { target: string; to: string }[] = [];
  const folder = (path: string): void => {
    if (path === '/' || folders.has(path)) return;
    folder(dirname(path));
    folders.add(path);
  };
  for (const path of enginesOwn) folder(path);
  for (const [target, entry] of own) {
    if (entry.kind === 'directory') folder(target);
    else folder(dirname(target));
    if (entry.kind === 'file') files.set(target, entry.content);
    if (entry.kind === 'link') links.push({ target, to: entry.to });
  }
  for (const [target, entry] of mounts) {
    if (mountOf(target, mounts) !== null) continue;
    if (entry.kind === 'tmpfs' || kindOf(entry.source) === 'directory') folder(target);
    else {
      folder(dirname(target));
      files.set(target, '');
    }
  }
  return {
    folders: [...folders],
    files: [...files].map(([target, content]) => ({ target, content })),
    links,
  };
}

/** What every engine mounts itself. */
const enginesOwn = ['/proc', '/sys', '/dev', '/run', '/tmp', '/etc'];

function mountsOf(mounts: ReadonlyMap<string, Mounted>): readonly ContainerMount[] {
  return [...mounts.values()]
    .map((entry) =>
      entry.kind === 'tmpfs'
        ? { kind: entry.kind, target: entry.target, options: entry.options }
        : {
            kind: entry.kind,
            target: entry.target,
            source: entry.source,
            writable: entry.writable === true,
          },
    )
    .toSorted((a, b) => depth(a.target) - depth(b.target));
}

/** The deepest mount that a place lies in, not counting one at the place itself. */
function mountOf(target: string, mounts: ReadonlyMap<string, Mounted>): Mounted | null {
  for (let at = dirname(target); ; at = dirname(at)) {
    const found = mounts.get(at);
    if (found !== undefined) return found;
    if (at === '/') return null;
  }
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder === '/' ? '/' : `${folder}/`);
}

function depth(path: string): number {
  return path.split('/').length;
}

/** A refusal for what an engine cannot hold a box to. */
export function cannotHold(what: string): Error {
  return refuse(
    'host-unavailable',
    `This runtime cannot give a box ${what}. No box was made.`,
    'Have a person set "runtime" of the template to "kernel", or take that out of its sandbox.',
  );
}
