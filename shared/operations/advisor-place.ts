import { lstatSync, realpathSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';

/** Whose machine it is, and where agents write. */
interface PlaceOptions {
  readonly uid: number;
  /** INTERLOCK_HOME: no agent may write there, wherever it works. */
  readonly home: string;
  /** Folders that agents work in; absolute. */
  readonly workspaces: readonly string[];
}

/**
 * What is wrong with the place of a program that advises, as the rest of a sentence; null where
 * nothing is. It, every file among its arguments and every folder above has to be this user's or
 * root's, may not be written by others, and may not lie where an agent works.
 */
export function advisorPlaceProblem(argv: readonly string[], options: PlaceOptions): string | null {
  const [program = '', ...rest] = argv;
  const own = fileProblem(program, options);
  if (own !== null) return own;
  for (const word of rest) {
    // What it takes for a file may stand behind an option, too.
    for (const part of [word, word.slice(word.indexOf('=') + 1)]) {
      if (part === '' || !isThere(resolve('/', part))) continue;
      const problem = fileProblem(resolve('/', part), options);
      if (problem !== null) return problem;
    }
  }
  return null;
}

function fileProblem(path: string, { uid, home, workspaces }: PlaceOptions): string | null {
  let real: string;
  try {
    real = realpathSync(path);
  } catch {
    return `${path} is not there`;
  }
  // A link is as good as the folder it lies in.
  for (const end of new Set([path, real])) {
    const loose = chainProblem(end, uid);
    if (loose !== null) return loose;
    if (isIn(end, realOf(home))) continue;
    const folder = workspaces.map(realOf).find((workspace) => isIn(end, workspace));
    if (folder !== undefined && !isSystems(real, uid))
      return `${end} lies in ${folder}, where an agent works; put it into ${join(home, 'advisors')}`;
  }
  return null;
}

function chainProblem(path: string, uid: number): string | null {
  for (let at = path; ; at = dirname(at)) {
    const stats = lstatSync(at);
    if (stats.uid !== 0 && stats.uid !== uid) return `${at} belongs to somebody else`;
    const isOpen = !stats.isSymbolicLink() && (stats.mode & 0o022) !== 0;
    // In a folder like /tmp nobody can replace what is another's.
    if (isOpen && !(stats.isDirectory() && at !== path && (stats.mode & 0o1000) !== 0))
      return `${at} can be written by others`;
    if (at === dirname(at)) return null;
  }
}

/** What only the machine's administrator changes, where that is somebody else. */
function isSystems(path: string, user: number): boolean {
  return user !== 0 && [path, dirname(path)].every((one) => lstatSync(one).uid === 0);
}

function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
