import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  openSync,
  opendirSync,
  readSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute } from 'node:path';
import type { FileFacts, FileView, Surroundings } from '../engine/index.ts';

function orNull<T>(look: () => T): T | null {
  try {
    return look();
  } catch {
    return null;
  }
}

function facts(path: string): FileFacts | null {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return null;
  return {
    kind: stat.isFile() ? 'file' : stat.isDirectory() ? 'directory' : 'other',
    executable: (stat.mode & 0o111) !== 0,
    mode: stat.mode & 0o7777,
    uid: stat.uid,
    inode: stat.ino,
    device: stat.dev,
  };
}

function head(path: string, bytes: number): Uint8Array | null {
  // A pipe in the place of a file must not make the gate wait for a writer.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const buffer = new Uint8Array(bytes);
    return buffer.subarray(0, readSync(file, buffer, 0, bytes, 0));
  } finally {
    closeSync(file);
  }
}

/** A folder with more names than this is not listed: a pattern for it may then match anything. */
const mostNames = 4096;

function names(folder: string): readonly string[] | null {
  const directory = opendirSync(folder);
  try {
    const found: string[] = [];
    for (let entry = directory.readSync(); entry !== null; entry = directory.readSync()) {
      if (found.length >= mostNames) return null;
      found.push(entry.name);
    }
    return found;
  } finally {
    directory.closeSync();
  }
}

/**
 * The file system as the analysis sees it. Every question is asked anew: a fact that decides what
 * may run is never served from memory. Errors of any kind read as "not there".
 */
export function nodeFiles(): FileView {
  return {
    realPath: (path) => orNull(() => realpathSync.native(path)),
    facts: (path) => orNull(() => facts(path)),
    head: (path, bytes) => orNull(() => head(path, bytes)),
    isLink: (path) => orNull(() => lstatSync(path).isSymbolicLink()) ?? false,
    readLink: (path) => orNull(() => readlinkSync(path)),
    names: (folder) => orNull(() => names(folder)),
  };
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

export interface SurroundingsOptions {
  /** The environment that commands will get, usually the runner's own. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly uid: number;
  readonly platform: NodeJS.Platform;
  /** Directories in which agents may write, besides the cwd of each request. */
  readonly workspaces?: readonly string[];
  /** Where commands are looked up instead of `env.PATH`. */
  readonly path?: readonly string[];
  readonly files?: FileView;
  /** Interlock's own folder and other places that only this machine can tell. */
  readonly known?: Surroundings['known'];
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
  const { env, uid, platform, workspaces = [], files = nodeFiles(), known } = options;
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
    shell: shells.find((shell) => existsSync(shell)) ?? '/bin/sh',
    ...(known === undefined ? {} : { known }),
  };
}
