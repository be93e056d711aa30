import type { FileFacts, Surroundings } from '../types.ts';
import { isBelow, parentOf } from './paths.ts';

/**
 * Whether only others than the runner's user can change what lies at a real path: the file and each
 * directory above it belong to root or to another account, and neither the group nor everybody may
 * write. In a directory with the sticky bit nobody can replace what belongs to others.
 */
export function isOutOfReach(realPath: string, surroundings: Surroundings): boolean {
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
export function isSystems(realPath: string, surroundings: Surroundings): boolean {
  const below = (one: string): boolean => isBelow(realPath, one);
  if (!surroundings.trustedDirectories.some(below)) return false;
  if (surroundings.managedDirectories?.some(below) === true)
    return ((surroundings.files.facts(realPath)?.mode ?? 0o777) & 0o022) === 0;
  return isOutOfReach(realPath, surroundings);
}
