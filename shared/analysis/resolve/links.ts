import type { Surroundings } from '../types.ts';
import { isSystems } from './owners.ts';

/** As many links as kernels follow. */
const mostLinks = 40;

/** Where the system keeps its links: merged directories, alternatives, current generations. */
const system =
  /^\/(?:$|(?:bin|sbin|usr|lib|lib64|etc|opt|nix|run|snap|System|Library|private\/etc)(?:\/|$))/;

/**
 * Whether every symbolic link on the way from an absolute path to its file lies where only the
 * system's owner writes. Whoever may turn one link decides what the whole path means.
 */
export function linksAreTrusted(path: string, surroundings: Surroundings): boolean {
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
