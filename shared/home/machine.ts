import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  openSync,
  readSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs';
import type { Stats } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { isAbsolute } from 'node:path';
import type {
  FileFacts,
  FileView,
  GrammarParser,
  KnownPlace,
  Machine,
  PathStatus,
  Surroundings,
} from '../engine/index.ts';
import { withPlainFile } from './files.ts';
import { ownPlaces } from './own-places.ts';
import { listeningPorts } from './listening.ts';
import { createListings } from './listings.ts';
import { homePaths, ownUser } from './paths.ts';

function orNull<T>(look: () => T): T | null {
  try {
    return look();
  } catch {
    return null;
  }
}

const mayBeMissing = { throwIfNoEntry: false } as const;

function facts(path: string): FileFacts | null {
  const stat = statSync(path, mayBeMissing);
  return stat === undefined ? null : factsOf(stat);
}

function status(path: string): PathStatus | null {
  const stat = lstatSync(path, mayBeMissing);
  return stat === undefined ? null : factsOf(stat);
}

function factsOf(stat: Stats): PathStatus {
  return {
    isLink: stat.isSymbolicLink(),
    kind: stat.isFile() ? 'file' : stat.isDirectory() ? 'directory' : 'other',
    executable: (stat.mode & 0o111) !== 0,
    mode: stat.mode & 0o7777,
    uid: stat.uid,
    inode: stat.ino,
    device: stat.dev,
  };
}

/** Most heads are asked for at up to this length, and most files are far shorter. */
const scratch = new Uint8Array(64 * 1024 + 1);

function head(path: string, bytes: number): Uint8Array | null {
  // A pipe in the place of a file must not make the gate wait for a writer.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const buffer = bytes <= scratch.length ? scratch : new Uint8Array(bytes);
    const read = readSync(file, buffer, 0, bytes, 0);
    return buffer === scratch ? buffer.slice(0, read) : buffer.subarray(0, read);
  } finally {
    closeSync(file);
  }
}

/** Where larger ones are read to be compared; as long as the longest of them. */
let wide = Buffer.alloc(0);

/** One byte more than there was tells whether it has grown. */
function isHead(path: string, bytes: number, before: Uint8Array): boolean {
  const most = Math.min(bytes, before.length + 1);
  if (wide.length < most) wide = Buffer.alloc(most);
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const read = readSync(file, wide, 0, most, 0);
    return read === before.length && wide.compare(before, 0, read, 0, read) === 0;
  } finally {
    closeSync(file);
  }
}

/**
 * The file system as the analysis sees it. Every question is asked anew: a fact that decides what
 * may run is never served from memory, and the names in a folder only where a look at the folder
 * proves them (decision 108). Errors of any kind read as "not there".
 */
export function nodeFiles(platform: NodeJS.Platform = process.platform): FileView {
  const entries = createListings();
  return {
    ...(platform === 'linux' && { status: (path: string) => orNull(() => status(path)) }),
    realPath: (path) => orNull(() => realpathSync.native(path)),
    facts: (path) => orNull(() => facts(path)),
    head: (path, bytes) => orNull(() => head(path, bytes)),
    isHead: (path, bytes, before) => orNull(() => isHead(path, bytes, before)) ?? false,
    isLink: (path) => orNull(() => lstatSync(path).isSymbolicLink()) ?? false,
    readLink: (path) => orNull(() => readlinkSync(path)),
    entries: (folder) => orNull(() => entries(folder)),
  };
}

/** Programs are smaller; a rule with the digest of something larger simply does not match. */
export const largestHashed = 256 * 1024 * 1024;

const chunkBytes = 256 * 1024;

/**
 * sha256 (hex) of a regular file's content; null when it cannot be read, is a link, or is larger
 * than `largestHashed`. Callers give real paths: a link that stands in the place of the file by now
 * leads elsewhere than what was decided about.
 */
export function hashFile(path: string): string | null {
  try {
    return withPlainFile(path, (file, { size }) =>
      size > largestHashed ? null : digestOf(file, size),
    );
  } catch {
    return null;
  }
}

/** Null where more than `largestHashed` comes out of it, whatever its size was said to be. */
function digestOf(file: number, size: number): string | null {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, Math.max(1, size + 1)));
  let left = largestHashed;
  for (;;) {
    const read = readSync(file, buffer, 0, buffer.length, null);
    if (read === 0) return hash.digest('hex');
    left -= read;
    if (left < 0) return null;
    hash.update(buffer.subarray(0, read));
  }
}

/**
 * The bash grammar as a parser. The wasm comes with its npm package; it is read once. Rejects when
 * the files are missing or damaged: nothing may be allowed then.
 */
export async function loadGrammar(): Promise<GrammarParser> {
  // Loaded here, so that a command that analyses nothing does without it.
  const { Language, Parser } = await import('web-tree-sitter');
  await Parser.init();
  const wasm = createRequire(import.meta.url).resolve('tree-sitter-bash/tree-sitter-bash.wasm');
  const language = await Language.load(new Uint8Array(await readFile(wasm)));
  return new Parser().setLanguage(language);
}

let loading: Promise<GrammarParser> | undefined;

/** The parser of this process; loaded at the first call, tried again after a failure. */
function grammarOfProcess(): Promise<GrammarParser> {
  loading ??= loadGrammar();
  loading.catch(() => {
    loading = undefined;
  });
  return loading;
}

/** Where programs of the system lie; each is trusted as far as the user cannot write it. */
const systemDirectories = [
  '/bin',
  '/sbin',
  '/usr/bin',
  '/usr/sbin',
  '/usr/lib',
  '/usr/libexec',
  '/usr/local/bin',
  '/usr/local/sbin',
  '/usr/local/lib',
  '/usr/local/libexec',
  '/usr/share',
  '/opt/homebrew',
  '/opt/local/bin',
  '/nix/store',
  '/snap/bin',
  '/System',
  '/Library/Developer',
  '/Applications',
];

/**
 * On macOS packages come from managers that work as the user, so all of a developer's tools are
 * theirs: to trust none of them would make every bare name in a rule useless. Elsewhere packages
 * belong to root.
 */
const managedOnMac = ['/opt/homebrew', '/usr/local', '/opt/local'];

const shells = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash', '/bin/dash', '/bin/sh'];

/** Variables that a login sets and the runner hands on unchanged. */
const handedOn = ['HOME', 'USER', 'LOGNAME', 'TMPDIR', 'LANG'];

/** Absolute path of the shell that runs commands on this machine. */
export function findShell(): string {
  return shells.find((shell) => existsSync(shell)) ?? '/bin/sh';
}

interface SurroundingsOptions {
  /** The environment that commands will get, usually the runner's own. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly uid: number;
  readonly platform: NodeJS.Platform;
  /** Directories in which agents may write, besides the cwd of each request. */
  readonly workspaces?: readonly string[];
  /** Where commands are looked up instead of `env.PATH`. */
  readonly path?: readonly string[];
  readonly files?: FileView;
}

function real(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

/** What the meaning of commands depends on, on this machine. Relative PATH entries are left out. */
export function surroundingsOf(options: SurroundingsOptions): Surroundings {
  const { env, uid, platform, workspaces = [], files = nodeFiles() } = options;
  const path = options.path ?? (env['PATH'] ?? '').split(':');
  const variables: Record<string, string> = {};
  for (const name of handedOn) {
    const value = env[name];
    if (value !== undefined) variables[name] = value;
  }
  return {
    files,
    platform: platform === 'darwin' || platform === 'win32' ? platform : 'linux',
    uid,
    path: path.filter(isAbsolute),
    trustedDirectories: systemDirectories,
    managedDirectories: platform === 'darwin' ? managedOnMac : [],
    home: env['HOME'] ?? homedir(),
    workspaces: workspaces.map(real),
    variables,
    shell: findShell(),
  };
}

/** Variables whose value comes from the person's session and that no program loads code from. */
const inherited = [
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'LC_MESSAGES',
  'TZ',
  'TMPDIR',
  'XDG_RUNTIME_DIR',
  'SSH_AUTH_SOCK',
] as const;

/** Where programs are looked for when the runner itself has no usable PATH. */
const plainPath = '/usr/local/bin:/usr/bin:/bin';

/**
 * The variables that the runner sets for every command, from its own environment. Only names on a
 * short list pass: nothing that makes a loader, shell or interpreter run other code.
 */
export function baseEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const user = ownUser();
  const base: Record<string, string> = {
    HOME: user.home,
    USER: user.name,
    LOGNAME: user.name,
    SHELL: user.shell ?? '/bin/sh',
    PATH: absolutePathOnly(env['PATH']),
    TERM: 'dumb',
  };
  for (const name of inherited) {
    const value = env[name];
    if (value !== undefined && value !== '') base[name] = value;
  }
  return base;
}

/** The runner's PATH less its relative and empty entries, which would mean the command's cwd. */
function absolutePathOnly(path: string | undefined): string {
  const kept = (path ?? '').split(':').filter((entry) => entry.startsWith('/'));
  return kept.length === 0 ? plainPath : kept.join(':');
}

interface MachineOptions {
  /** Places that only this machine can tell, beside Interlock's own folder; asked at each question. */
  readonly places?: (() => readonly KnownPlace[]) | undefined;
  /** Directories where commands are looked up instead of PATH. */
  readonly path?: readonly string[] | undefined;
  /** Milliseconds since the epoch; the system's clock when absent. */
  readonly now?: (() => number) | undefined;
}

const none: readonly KnownPlace[] = [];
const noPlaces = (): readonly KnownPlace[] => none;

/**
 * This machine as the engine sees it, for commands that get the runner's base environment. Every
 * question of a file is asked anew; PATH, shell and variables stay as they are now.
 */
export function openMachine(
  env: Readonly<Record<string, string | undefined>>,
  uid: number,
  { path, now = Date.now, places = noPlaces }: MachineOptions = {},
): Machine {
  const { home, secretsKeyDirectory } = homePaths(env);
  const keys: readonly KnownPlace[] = [
    { path: secretsKeyDirectory, place: 'own', reason: 'holds the key of the secrets' },
  ];
  const others = joined(() => keys, places);
  const { workspaces: _, ...here } = surroundingsOf({
    env: baseEnvironment(env),
    uid,
    platform: process.platform,
    ...(path !== undefined && { path }),
  });
  return {
    ...here,
    known: joined(() => ownPlaces(home), others),
    grammar: grammarOfProcess,
    hashFile,
    now,
    ...(process.platform === 'linux' && {
      isServedHere: (port: number) => listeningPorts()?.has(port) ?? true,
    }),
  };
}

type Places = () => readonly KnownPlace[];

/** Both lists in one; the same one while both are, so that what is made of it is made once. */
function joined(one: Places, other: Places): Places {
  let last: readonly [readonly KnownPlace[], readonly KnownPlace[]] | null = null;
  let both: readonly KnownPlace[] = [];
  return () => {
    const now = [one(), other()] as const;
    if (last?.[0] !== now[0] || last[1] !== now[1]) {
      last = now;
      both = now.flat();
    }
    return both;
  };
}
