import { posix } from 'node:path';
import { refuse } from '../../../shared/base/index.ts';
import { readableAtHome, systemPaths, workspaceOf } from '../../../shared/engine/index.ts';
import { allOfGit, gitOf, guarded } from './git.ts';
import type { HistoryOf, HistoryPlace } from './git.ts';
import type { Entry, FileNumber } from './message.ts';
import { isBelow, overlaps } from './paths.ts';

/** What the folder and file at a path is; the path's own links are followed only by `realPath`. */
export interface PathFacts extends FileNumber {
  readonly kind: 'file' | 'directory' | 'link' | 'other';
  readonly uid: number;
  readonly gid: number;
}

/** The file system as far as a root is planned from it. Errors of any kind read as "not there". */
export interface RootFiles {
  facts(path: string): PathFacts | null;
  realPath(path: string): string | null;
  /** Where a link leads, as it stands there. */
  linkText(path: string): string | null;
  /** A small file's text. */
  text(path: string): string | null;
  /** Names of the folders in a folder, links to such left out; none where it cannot be read. */
  folders(path: string): readonly string[];
}

/** What a command in a box sees. Paths are absolute. */
export interface BoxSettings {
  /** Folders that agents work in. */
  readonly workspaces: readonly string[];
  /** Further paths that it may read, and read and write. */
  readonly readOnly: readonly string[];
  readonly readWrite: readonly string[];
  readonly readOnlyWorkspace: boolean;
  /** The command is known to change nothing: nothing may be written but what is its own. Absent: it may. */
  readonly onlyLooks?: boolean;
  /** `full`: the machine's own. */
  readonly network: 'none' | 'restricted' | 'full';
  /** Size of /tmp and of the home folder, in bytes. */
  readonly temporaryBytes: number;
}

/** Both on one file system; `work` belongs to the kernel. */
export interface Layer {
  readonly upper: string;
  readonly work: string;
}

/** Whose rights a command has. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
  readonly name: string;
  /** Inside it is an empty folder but for what is listed here. */
  readonly home: string;
}

/** Where a box is built. */
export interface BoxSurroundings {
  readonly files: RootFiles;
  /** Who the command is to be, by the owner of its workspace; null where it cannot be that user. */
  readonly ownerOf: (uid: number) => Owner | null;
  /** Interlock's own folder: never inside. */
  readonly ownHome: string;
  /** Directories of the PATH that commands get. */
  readonly path: readonly string[];
  /** Folders for a box's own layers over the person's caches; null where none can be had. */
  readonly layersOf: (workspace: string, owner: Owner) => (cache: string) => Layer | null;
  /** What is hidden and held in a folder that may be written; absent where somebody allowed it. */
  readonly careOf?: (folder: string, owner: Owner) => readonly Entry[];
  /** A layer over a history, so that Git can be used in full; null where it stays read-only. */
  readonly historyOf?: HistoryOf;
  /** Paths of `.git` that were found further below in a folder. */
  readonly nestedOf?: (folder: string) => readonly string[];
}

/** The root that a command gets, and whose rights it has there. */
export interface Box {
  readonly workspace: string;
  readonly owner: Owner;
  readonly entries: readonly Entry[];
}

/** Settings that may hold a secret of their own are left out where they do. */
const mayHoldSecrets = new Set([
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  '.gitconfig',
  '.config/git/config',
]);
const looksSecret =
  /auth(?!or\b)|passw|token|secret|credential\s*=|-----BEGIN|(?:^|[\s:])key\s*=|:\/\/(?!git@)[^\s/@]+@/im;

/**
 * Caches of package managers below home: each gets a layer of its own, because some lie where the
 * person's PATH looks for programs. What is written there never reaches the person's own.
 */
const cachesAtHome = [
  '.npm',
  '.yarn',
  '.cache',
  '.pnpm-store',
  '.local/share/pnpm',
  '.bun',
  '.deno',
  '.node-gyp',
  '.cargo/registry',
  '.cargo/git',
  'go/pkg',
  '.m2/repository',
  '.gradle/caches',
];

/**
 * The root for a command in a folder: the workspace at its own path, the system's programs, an empty
 * home with the person's tools and caches, nothing else. Throws a `host-unavailable` refusal where
 * the folder cannot be a workspace.
 *
 * @param cwd absolute real path
 */
export function planBox(cwd: string, settings: BoxSettings, around: BoxSurroundings): Box {
  const { files } = around;
  const ownHome = files.realPath(around.ownHome) ?? around.ownHome;
  const workspace = workspaceFor(cwd, settings.workspaces, around);
  if (overlaps(workspace, ownHome)) throw unfit(workspace, "it holds Interlock's own folder");
  const facts = files.facts(workspace);
  if (facts === null) throw unfit(workspace, 'it is gone');
  const owner = around.ownerOf(facts.uid);
  if (owner === null) throw unfit(workspace, 'it belongs to another user');
  const { onlyLooks = false } = settings;
  const layerOf = onlyLooks ? () => null : around.layersOf(workspace, owner);
  const identity = { device: facts.device, inode: facts.inode };
  const writable = !settings.readOnlyWorkspace && !onlyLooks;
  const bound = (path: string, isWritable = false): readonly Entry[] => {
    const source = files.realPath(path);
    if (source === null || overlaps(source, ownHome) || overlaps(path, ownHome)) return [];
    return [{ kind: 'bind', target: path, source, writable: isWritable, ifPresent: true }];
  };
  const home = homeInside(owner);
  // What may be written is known by one name, under which everything in it can be guarded.
  const more = asGiven(settings.readWrite, owner).flatMap((path) => files.realPath(path) ?? []);
  const open = [...(writable ? [workspace] : []), ...(onlyLooks ? [] : more)];
  const care = [workspace, ...more].flatMap((folder) => around.careOf?.(folder, owner) ?? []);
  const held = new Set(care.flatMap((one) => (isHeld(one) ? [one.target] : [])));
  const entries: Entry[] = [
    ...systemEntries(files),
    ...identityFiles({ ...owner, home }, settings.network, files),
    { kind: 'tmpfs', target: '/tmp', options: temporary(settings.temporaryBytes, '1777') },
    { kind: 'tmpfs', target: '/var/tmp', options: temporary(settings.temporaryBytes, '1777') },
    { kind: 'tmpfs', target: '/run', options: 'size=1m,mode=0755' },
    { kind: 'tmpfs', target: home, options: temporary(settings.temporaryBytes, '0700') },
    ...readableAtHome
      .filter((name) => !holdsSecret(name, home, files))
      .flatMap((name) => bound(`${home}/${name}`)),
    ...toolsOf(around, owner, open).flatMap((path) => bound(path)),
    ...(onlyLooks ? [] : cachesAtHome).flatMap((name) =>
      layered(`${home}/${name}`, layerOf, files),
    ),
    ...asGiven(settings.readOnly, owner).flatMap((path) => bound(path)),
    ...more.flatMap((path) => bound(path, !onlyLooks)),
    ...care,
    ...open.flatMap((folder) => heldIn(folder, ownHome, owner, around)),
    ...(writable ? [] : gitOf(workspace, files, ownHome).entries.map(readOnly)),
    // Of two entries for one place the last one holds: this one is compared with what was seen.
    { kind: 'bind', target: workspace, source: workspace, writable, identity },
  ];
  return {
    workspace,
    owner: { ...owner, home },
    entries: parentsFirst([...entries, ...cover(entries, ownHome)]).map((one) =>
      // What is held in place below what is read-only is so, too.
      [...held].some((path) => isBelow(one.target, path)) ? readOnly(one) : one,
    ),
  };
}

/** What stays as it is in a folder that may be written: what the person's Git and shell run. */
function heldIn(folder: string, ownHome: string, owner: Owner, around: BoxSurroundings) {
  const { files, path, historyOf, nestedOf = () => [] } = around;
  const real = files.realPath(folder);
  if (real === null || overlaps(real, ownHome)) return [];
  const layerOf = (place: HistoryPlace) => historyOf?.(place, owner) ?? null;
  const { entries, problem } = allOfGit(folder, nestedOf(folder), { files, ownHome, layerOf });
  if (problem !== null) throw unfit(folder, problem);
  const programs = path
    .map(plainPath)
    .filter((one) => one !== folder && isBelow(one, folder) && files.realPath(one) === one);
  return [...entries, ...programs.flatMap((one) => guarded(folder, one))];
}

/** Folders of the PATH that are not there already. One that holds the home folder shows too much. */
function toolsOf({ path, files }: BoxSurroundings, { home }: Owner, open: readonly string[]) {
  const known = [...systemPaths, ...open, ...readableAtHome.map((name) => `${home}/${name}`)];
  const realHome = files.realPath(home) ?? home;
  return path
    .filter((one) => one.startsWith('/'))
    .map(plainPath)
    .filter((one) => !known.some((folder) => isBelow(one, folder)))
    .filter((one) => !isBelow(home, one) && !isBelow(realHome, files.realPath(one) ?? one));
}

/** Services have homes that are the system's own folders. */
function homeInside({ home, name }: Owner): string {
  const taken = ['/dev', '/etc', '/proc', '/run', '/sys', ...systemPaths];
  const plain = plainPath(home);
  return plain === '/' || taken.some((path) => isBelow(plain, path)) ? `/home/${name}` : plain;
}

/** Paths of the configuration; `~` is the home of whoever the command is. */
function asGiven(paths: readonly string[], owner: Owner | null): readonly string[] {
  return paths
    .filter((path) => owner !== null || path.startsWith('/'))
    .map((path) => plainPath(path.replace(/^~(?=\/)/, owner?.home ?? '')));
}

function plainPath(path: string): string {
  return posix.normalize(path).replace(/(?<=.)\/+$/, '');
}

function isHeld(entry: Entry): boolean {
  return entry.kind === 'bind' && entry.writable !== true;
}

function readOnly(entry: Entry): Entry {
  return entry.kind === 'bind' ? { ...entry, writable: false } : entry;
}

function workspaceFor(
  cwd: string,
  configured: readonly string[],
  { files, ownerOf }: BoxSurroundings,
): string {
  const person = ownerOf(files.facts(cwd)?.uid ?? -1);
  const home = person?.home ?? '/';
  const found = workspaceOf(cwd, {
    given: asGiven(configured, person).map((path) => files.realPath(path) ?? path),
    homes: [home, files.realPath(home) ?? home],
    isThere: (path) => files.facts(path) !== null,
  });
  if (!found.ok) throw unfit(found.path, found.why);
  return found.path;
}

function unfit(path: string, why: string): Error {
  return refuse(
    'host-unavailable',
    `${path} cannot be the workspace of a sandbox: ${why}.`,
    'Work in a project folder, or have a person name one in exec.workspaces of config.json.',
  );
}

/** The system's programs: a link stays a link, a folder is bound with its own mounts. None is writable. */
export function systemEntries(files: RootFiles): readonly Entry[] {
  return systemPaths.flatMap((path): readonly Entry[] => {
    const facts = files.facts(path);
    if (facts === null) return [];
    if (facts.kind !== 'link')
      return [{ kind: 'bind', target: path, source: path, ifPresent: true }];
    const to = files.linkText(path);
    return to === null ? [] : [{ kind: 'link', target: path, to }];
  });
}

function holdsSecret(name: string, home: string, files: RootFiles): boolean {
  if (!mayHoldSecrets.has(name)) return false;
  const text = files.text(`${home}/${name}`);
  return text !== null && looksSecret.test(text);
}

/** A cache that is not there yet is made in the empty home, and goes with it. */
function layered(
  cache: string,
  layerOf: (cache: string) => Layer | null,
  files: RootFiles,
): readonly Entry[] {
  const lower = files.realPath(cache);
  const layer = lower === null ? null : layerOf(cache);
  if (lower === null || layer === null) return [];
  return [{ kind: 'overlay', target: cache, lower, ...layer }];
}

/** Interlock's own folder is covered wherever something that is bound shows it. */
function cover(entries: readonly Entry[], ownHome: string): readonly Entry[] {
  return entries.flatMap((entry): readonly Entry[] => {
    const source =
      entry.kind === 'bind' ? entry.source : entry.kind === 'overlay' ? entry.lower : '';
    if (source === '' || !isBelow(ownHome, source)) return [];
    const target = `${entry.target}${ownHome.slice(source.length)}`;
    return [{ kind: 'tmpfs', target, options: 'size=4k,mode=0555' }];
  });
}

/**
 * Who one is inside: the same numbers, and names for them. The host's own lists stay outside; where
 * the network is this machine's own, so is whom to ask for names.
 */
function identityFiles(
  { name, home, uid, gid }: Owner,
  network: BoxSettings['network'],
  files: RootFiles,
): readonly Entry[] {
  const nobody = uid === 65_534 ? '' : 'nobody:x:65534:65534::/:/usr/sbin/nologin\n';
  const file = (path: string, content: string): Entry => ({ kind: 'file', target: path, content });
  const servers = network === 'full' ? files.text('/etc/resolv.conf') : null;
  return [
    file('/etc/passwd', `${name}:x:${uid}:${gid}::${home}:/bin/sh\n${nobody}`),
    file('/etc/group', `${name}:x:${gid}:\n`),
    file('/etc/hosts', '127.0.0.1 localhost\n::1 localhost\n'),
    file(
      '/etc/nsswitch.conf',
      // Without a network too: a name that is asked for in vain is then counted by the kernel.
      'passwd: files\ngroup: files\nhosts: files dns\n',
    ),
    ...(servers === null ? [] : [file('/etc/resolv.conf', servers)]),
  ];
}

function temporary(bytes: number, mode: string): string {
  return `size=${bytes},nr_inodes=200k,mode=${mode}`;
}

/** A mount hides what lies below it: whatever is nearer to the root goes first. */
function parentsFirst(entries: readonly Entry[]): readonly Entry[] {
  const depth = (entry: Entry): number => entry.target.split('/').length;
  const last = new Map(entries.map((entry) => [entry.target, entry]));
  return [...last.values()].toSorted((a, b) => depth(a) - depth(b));
}
