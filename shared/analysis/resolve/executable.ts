import type { Executable, FileFacts, Surroundings } from '../types.ts';
import { isBelow, nameOf, parentOf } from './paths.ts';
import { linksAreTrusted } from './links.ts';
import { isSystems } from './owners.ts';
import { readInterpreter } from './script.ts';

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
