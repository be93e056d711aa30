import { isBelow, nameOf, parentOf } from './paths.ts';
import type { Executable, FileFacts, Surroundings } from './types.ts';

/**
 * Whether only others than the runner's user can change what lies at a real path: the file and each
 * directory above it belong to root or to another account, and neither the group nor everybody may
 * write. In a directory with the sticky bit nobody can replace what belongs to others.
 */
function isOutOfReach(realPath: string, surroundings: Surroundings): boolean {
  const { files } = surroundings;
  const own = files.facts(realPath);
  if (own === null || !isOthers(own, surroundings) || (own.mode & 0o022) !== 0) return false;
  for (let at = realPath; at !== '/';) {
    at = parentOf(at);
    const facts = files.facts(at);
    if (facts === null || !isOthers(facts, surroundings)) return false;
    if ((facts.mode & 0o022) !== 0 && (facts.mode & 0o1000) === 0) return false;
  }
  return true;
}

/** For a runner that is root itself, what is root's is the system's. */
function isOthers({ uid }: FileFacts, surroundings: Surroundings): boolean {
  return uid === 0 || uid !== surroundings.uid;
}

/**
 * Whether a path lies where only the system's owner writes, or where a package manager of the user
 * writes that was named as trusted all the same.
 */
function isSystems(realPath: string, surroundings: Surroundings): boolean {
  const below = (one: string): boolean => isBelow(realPath, one);
  if (!surroundings.trustedDirectories.some(below)) return false;
  if (surroundings.managedDirectories?.some(below) === true)
    return ((surroundings.files.facts(realPath)?.mode ?? 0o777) & 0o022) === 0;
  return isOutOfReach(realPath, surroundings);
}

/** As many links as kernels follow. */
const mostLinks = 40;

/** Where the system keeps its links: merged directories, alternatives, current generations. */
const system =
  /^\/(?:$|(?:bin|sbin|usr|lib|lib64|etc|opt|nix|run|snap|System|Library|private\/etc)(?:\/|$))/;

/**
 * Whether every symbolic link on the way from an absolute path to its file lies where only the
 * system's owner writes. Whoever may turn one link decides what the whole path means.
 */
function linksAreTrusted(path: string, surroundings: Surroundings): boolean {
  const { files } = surroundings;
  let waiting = path.split('/');
  let real = '';
  let links = 0;
  while (waiting.length > 0) {
    const [part = '', ...rest] = waiting;
    waiting = rest;
    if (part === '' || part === '.') continue;
    if (part === '..') {
      real = real.slice(0, Math.max(0, real.lastIndexOf('/')));
      continue;
    }
    const target = files.readLink(`${real}/${part}`);
    if (target === null) real = `${real}/${part}`;
    else {
      if (++links > mostLinks || !isOwners(real === '' ? '/' : real, surroundings)) return false;
      waiting = [...target.split('/'), ...waiting];
      if (target.startsWith('/')) real = '';
    }
  }
  return true;
}

/** Whether only the system's owner can turn a link in this directory, given by its real path. */
function isOwners(directory: string, surroundings: Surroundings): boolean {
  const { files, uid } = surroundings;
  if (isSystems(directory, surroundings)) return true;
  const facts = files.facts(directory);
  if (facts === null || !system.test(directory) || (facts.mode & 0o022) !== 0) return false;
  return facts.uid === 0 || (facts.uid !== uid && facts.uid < 500);
}

/** Kernels read about this much of a first line. */
const lineBytes = 256;

/**
 * The real path of the interpreter in a file's `#!` line, with `env` looked through; null for a
 * file that has none. One that cannot be found, or of which `env` decides more than the name, is
 * given as it is written.
 */
function readInterpreter(realPath: string, search: Search): string | null {
  const { files } = search.surroundings;
  const head = files.head(realPath, lineBytes);
  if (head === null || head[0] !== 0x23 || head[1] !== 0x21) return null;
  const text = String.fromCharCode(...head.subarray(2));
  // A kernel takes off blanks only: with a carriage return the name is another one.
  const line = (text.split('\n', 1)[0] ?? '').replaceAll(/^[ \t]+|[ \t]+$/g, '');
  const [program = '', ...rest] = line.split(/[ \t]+/);
  if (!program.endsWith('/env')) return files.realPath(program) ?? program;
  const [name] = rest[0] === '-S' ? rest.slice(1) : rest;
  if (name === undefined) return files.realPath(program) ?? program;
  // Other options, variables and paths: what runs depends on more than the PATH.
  if (!/^[\w.+][\w.+-]*$/.test(name)) return rest.join(' ');
  for (const directory of search.surroundings.path) {
    const path = `${directory}/${name}`;
    if (files.facts(path)?.executable === true) return files.realPath(path) ?? path;
  }
  return name;
}

export interface Search {
  readonly surroundings: Surroundings;
  /** Where relative names start; null when it is not known. */
  readonly cwd: string | null;
  /** Where the request itself starts: agents may write there. */
  readonly requestCwd: string;
}

/**
 * The file that a command name stands for, never a builtin: a name with a slash is taken from the
 * cwd, any other is looked up in the runner's own PATH, where a directory or a file that may not be
 * executed is passed over, as is a relative entry. `missing` says only that nothing was found: see
 * `whyUnlocated`.
 */
export function findExecutable(name: string, search: Search): Executable {
  const missing: Executable = { kind: 'missing', name };
  if (name === '' || name.includes('\0')) return missing;
  if (name.includes('/')) {
    if (!name.startsWith('/') && search.cwd === null) return missing;
    const base = search.cwd === '/' ? '' : (search.cwd ?? '');
    const path = name.startsWith('/') ? name : `${base}/${name}`;
    return look(path, search)?.describe(name, 'written') ?? missing;
  }
  for (const directory of search.surroundings.path) {
    if (!directory.startsWith('/')) continue;
    const found = look(`${directory === '/' ? '' : directory}/${name}`, search);
    if (found !== null) return found.describe(name, 'path');
  }
  return missing;
}

/**
 * Why a name that led to no file may still lead to one when it runs, or null where it is certain
 * that it does not: a relative path from an unknown directory, or relative entries of the PATH.
 */
export function whyUnlocated(name: string, { surroundings, cwd }: Search): string | null {
  if (name.startsWith('/')) return null;
  if (name.includes('/'))
    return cwd === null ? 'its path is relative, and the directory is not known' : null;
  const fixed = surroundings.path.every((directory) => directory.startsWith('/'));
  return fixed ? null : 'the PATH holds relative directories';
}

function look(path: string, search: Search) {
  const { surroundings } = search;
  const { files } = surroundings;
  const facts = files.facts(path);
  if (facts === null || facts.kind !== 'file' || !facts.executable) return null;
  const realPath = files.realPath(path);
  if (realPath === null) return null;
  return {
    describe(name: string, foundBy: 'path' | 'written'): Executable {
      const systems = isSystems(realPath, surroundings);
      const agentWritable = isAgentWritable({ realPath, facts, systems, search });
      return {
        kind: 'file',
        name,
        foundBy,
        path,
        realPath,
        trusted: systems && !agentWritable && linksAreTrusted(path, surroundings),
        agentWritable,
        interpreter: readInterpreter(realPath, search),
      };
    },
  };
}

/** Directories in which everybody may create files, whatever the mode of the file says. */
const shared = ['/tmp', '/var/tmp', '/private/tmp', '/private/var/tmp', '/dev/shm'];

function isAgentWritable(about: {
  realPath: string;
  facts: FileFacts;
  systems: boolean;
  search: Search;
}): boolean {
  const { realPath, facts, systems, search } = about;
  const { surroundings } = search;
  if ((facts.mode & 0o002) !== 0) return true;
  const parent = surroundings.files.facts(parentOf(realPath));
  if (parent !== null && (parent.mode & 0o1002) === 0o002) return true;
  return !systems && isWhereAgentsWrite(realPath, search);
}

/** Whether agents may write at a path: in a workspace, in the request's cwd, or where all may. */
export function isWhereAgentsWrite(path: string, search: Search): boolean {
  const { workspaces } = search.surroundings;
  const places = [...workspaces, ...shared, search.requestCwd, search.cwd ?? '/'];
  return places.some((place) => isBelow(path, place));
}

/** The name by which tables know a program: its last part, in lower case where case is ignored. */
export function programName(path: string, platform: Surroundings['platform']): string {
  const name = nameOf(path);
  return platform === 'linux' ? name : name.toLowerCase().replace(/\.(exe|cmd|bat|com)$/, '');
}
