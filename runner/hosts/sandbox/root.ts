import { refuse } from '../../../shared/base/index.ts';
import type { Entry, FileNumber } from './message.ts';

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
}

/** What a command in a box sees. Paths are absolute. */
export interface BoxSettings {
  /** Folders that agents work in. */
  readonly workspaces: readonly string[];
  /** Further paths that it may read, and read and write. */
  readonly readOnly: readonly string[];
  readonly readWrite: readonly string[];
  readonly readOnlyWorkspace: boolean;
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
}

/** The root that a command gets, and whose rights it has there. */
export interface Box {
  readonly workspace: string;
  readonly owner: Owner;
  readonly entries: readonly Entry[];
}

/** Programs and what they need of the system. Of /etc only what names nobody and configures nothing. */
const systemPaths = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/opt',
  '/etc/alternatives',
  '/etc/ld.so.cache',
  '/etc/localtime',
  '/etc/ssl/certs',
  '/etc/ca-certificates',
  '/etc/pki/tls/certs',
  '/etc/pki/ca-trust/extracted',
  '/etc/mime.types',
  '/etc/terminfo',
  '/nix/store',
];

/** Below home, readable and never writable: settings without secrets, and installed tools. */
const readableAtHome = [
  '.gitconfig',
  '.config/git',
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  '.ssh/known_hosts',
  '.config/gh/config.yml',
  '.claude/shell-snapshots',
  '.nvm',
  '.fnm',
  '.local/share/fnm',
  '.volta',
  '.asdf',
  '.local/share/mise',
  '.pyenv',
  '.rbenv',
  '.rustup',
  '.sdkman/candidates',
  '.cargo/bin',
  '.local/bin',
  'go/bin',
];

/** Settings that may hold a secret of their own are left out where they do. */
const mayHoldSecrets = new Set(['.npmrc', '.yarnrc', '.yarnrc.yml', '.gitconfig', '.config/git']);
const looksSecret = /auth|passw|token|secret|credential\s*=|:\/\/[^\s/]*:[^\s/]*@/i;

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

/** Folders of which nothing is a workspace, and neither are they. */
const neverWorkspaces = ['/', '/bin', '/boot', '/dev', '/etc', '/home', '/lib', '/lib64', '/proc'];
const neverInside = [
  '/boot',
  '/dev',
  '/etc',
  '/proc',
  '/run',
  '/sys',
  '/usr',
  '/var/lib',
  '/var/run',
];

/**
 * The root for a command in a folder: the workspace at its own path, the system's programs, an empty
 * home with the person's tools and caches, nothing else. Throws a `host-unavailable` refusal where
 * the folder cannot be a workspace.
 *
 * @param cwd absolute real path
 */
export function planBox(cwd: string, settings: BoxSettings, around: BoxSurroundings): Box {
  const { files, ownHome } = around;
  const workspace = workspaceOf(cwd, settings, around);
  const facts = files.facts(workspace);
  if (facts === null) throw unfit(workspace, 'it is gone');
  const owner = around.ownerOf(facts.uid);
  if (owner === null) throw unfit(workspace, 'it belongs to another user');
  const { home } = owner;
  const layerOf = around.layersOf(workspace, owner);
  if (isBelow(home, workspace)) throw unfit(workspace, 'it holds your home folder');
  const identity = { device: facts.device, inode: facts.inode };
  const writable = !settings.readOnlyWorkspace;
  const isHidden = (path: string): boolean => overlaps(path, ownHome);
  const bound = (path: string): readonly Entry[] =>
    isHidden(path) ? [] : bindOf(path, path, around);
  const top = systemPaths.flatMap((path) => linkOrBind(path, around));
  const tools = around.path.filter(
    (path) => !systemPaths.some((system) => isBelow(path, system)) && !isBelow(path, workspace),
  );
  const underHome = readableAtHome.map((name) => `${home}/${name}`);
  const entries: Entry[] = [
    ...top,
    ...identityFiles(owner),
    { kind: 'tmpfs', target: '/tmp', options: temporary(settings.temporaryBytes, '1777') },
    { kind: 'tmpfs', target: '/var/tmp', options: temporary(settings.temporaryBytes, '1777') },
    { kind: 'tmpfs', target: '/run', options: 'size=1m,mode=0755' },
    {
      kind: 'tmpfs',
      target: home,
      options: temporary(settings.temporaryBytes, '0700'),
    },
    ...underHome.filter((path) => !holdsSecret(path, home, files)).flatMap(bound),
    ...tools.filter((path) => !underHome.some((known) => isBelow(path, known))).flatMap(bound),
    ...cachesAtHome.flatMap((name) => layered(`${home}/${name}`, layerOf, files)),
    ...settings.readOnly.flatMap(bound),
    ...settings.readWrite
      .filter((path) => !isHidden(path))
      .map((path): Entry => ({
        kind: 'bind',
        target: path,
        source: files.realPath(path) ?? path,
        writable: true,
        ifPresent: true,
      })),
    { kind: 'bind', target: workspace, source: workspace, writable, identity },
    ...gitOf(workspace, around),
  ];
  return {
    workspace,
    owner,
    entries: parentsFirst([...entries, ...cover(entries, ownHome)]),
  };
}

/** The workspace that a folder lies in: a configured one, the project around it, or the folder. */
function workspaceOf(cwd: string, settings: BoxSettings, around: BoxSurroundings): string {
  const { files, ownHome } = around;
  const given = settings.workspaces
    .map((path) => files.realPath(path) ?? path)
    .filter((path) => isBelow(cwd, path))
    .toSorted((a, b) => b.length - a.length)[0];
  const workspace = given ?? projectAround(cwd, around) ?? cwd;
  if (neverWorkspaces.includes(workspace) || neverInside.some((path) => isBelow(workspace, path)))
    throw unfit(workspace, 'it belongs to the system');
  if (overlaps(workspace, ownHome)) throw unfit(workspace, "it holds Interlock's own folder");
  return workspace;
}

function projectAround(cwd: string, { files, ownerOf }: BoxSurroundings): string | null {
  const home = ownerOf(files.facts(cwd)?.uid ?? -1)?.home;
  for (let folder = cwd; folder !== '' && folder !== home; folder = parentOf(folder))
    if (files.facts(`${folder}/.git`) !== null) return folder;
  return null;
}

function unfit(path: string, why: string): Error {
  return refuse(
    'host-unavailable',
    `${path} cannot be the workspace of a sandbox: ${why}.`,
    'Work in a project folder, or have a person name one in exec.workspaces of config.json.',
  );
}

/** A link of the system stays a link; a folder is bound with its own mounts, and nothing writable. */
function linkOrBind(path: string, around: BoxSurroundings): readonly Entry[] {
  const facts = around.files.facts(path);
  if (facts === null) return [];
  if (facts.kind !== 'link') return [{ kind: 'bind', target: path, source: path, ifPresent: true }];
  const to = around.files.linkText(path);
  return to === null ? [] : [{ kind: 'link', target: path, to }];
}

function bindOf(target: string, path: string, { files }: BoxSurroundings): readonly Entry[] {
  const source = files.realPath(path);
  return source === null ? [] : [{ kind: 'bind', target, source, ifPresent: true }];
}

function holdsSecret(path: string, home: string, files: RootFiles): boolean {
  const name = path.slice(home.length + 1);
  if (!mayHoldSecrets.has(name)) return false;
  const text =
    files.facts(path)?.kind === 'directory' ? files.text(`${path}/config`) : files.text(path);
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

/** Interlock's own folder is covered where something that is bound holds it. */
function cover(entries: readonly Entry[], ownHome: string): readonly Entry[] {
  const shows = entries.some(
    (entry) =>
      (entry.kind === 'bind' && isBelow(ownHome, entry.source)) ||
      (entry.kind === 'overlay' && isBelow(ownHome, entry.lower)),
  );
  return shows ? [{ kind: 'tmpfs', target: ownHome, options: 'size=4k,mode=0555' }] : [];
}

/**
 * Git's own folder is read-only, and with it the name under which Git finds it: whoever may write
 * there decides what the person's Git runs next. Of a linked worktree also where it leads.
 */
function gitOf(workspace: string, around: BoxSurroundings): readonly Entry[] {
  const path = `${workspace}/.git`;
  const facts = around.files.facts(path);
  if (facts === null || facts.kind === 'link') return [];
  const own: Entry = { kind: 'bind', target: path, source: path };
  if (facts.kind !== 'file') return [own];
  const leads = /^gitdir: (\/.+)$/m.exec(around.files.text(path) ?? '')?.[1];
  const folder = leads === undefined ? null : around.files.realPath(leads);
  if (folder === null || overlaps(folder, around.ownHome)) return [own];
  const common = /^(.*\/\.git)\/worktrees\/[^/]+$/.exec(folder)?.[1] ?? folder;
  return [own, { kind: 'bind', target: common, source: common, ifPresent: true }];
}

/** Who one is inside: the same numbers, and names for them. The host's own lists stay outside. */
function identityFiles({ name, home, uid, gid }: Owner): readonly Entry[] {
  const nobody = uid === 65_534 ? '' : 'nobody:x:65534:65534::/:/usr/sbin/nologin\n';
  return [
    {
      kind: 'file',
      target: '/etc/passwd',
      content: `${name}:x:${uid}:${gid}::${home}:/bin/sh\n${nobody}`,
    },
    { kind: 'file', target: '/etc/group', content: `${name}:x:${gid}:\n` },
    { kind: 'file', target: '/etc/hosts', content: '127.0.0.1 localhost\n::1 localhost\n' },
    {
      kind: 'file',
      target: '/etc/nsswitch.conf',
      content: 'passwd: files\ngroup: files\nhosts: files\n',
    },
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

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

/** Whether a path is a folder or lies in it. */
function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);
}

function overlaps(a: string, b: string): boolean {
  return isBelow(a, b) || isBelow(b, a);
}
