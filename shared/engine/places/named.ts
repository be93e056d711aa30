import { foldedSegments } from './names.ts';
import type { Placement } from './types.ts';

/**
 * Whether the pattern of a rule names a place: its part up to what makes the place one is written
 * out, without `*`, `?`, a set or alternatives. `PROJECT/.github/workflows/**` names workflows,
 * `PROJECT/.github/**` does not; a file that can disarm the gate is named by its whole path alone.
 * That the pattern matches the path is for the caller to see.
 */
export function namesPlace(pattern: string, placement: Placement, home: string): boolean {
  const written = writtenOut(pattern);
  const expanded = /^~(?=\/|$)/.test(written) ? home + written.slice(1) : written;
  const named = foldedSegments(expanded);
  const wanted = foldedSegments(placement.path);
  if (placement.reach > wanted.length) return false;
  const depth = placement.disarms || placement.place === 'own' ? wanted.length : placement.reach;
  return named.length >= depth && wanted.slice(0, depth).every((name, at) => name === named[at]);
}

/** The whole names at the start of a glob that hold no wildcard, with escapes taken out. */
function writtenOut(pattern: string): string {
  let text = '';
  for (let at = 0; at < pattern.length; at += 1) {
    const letter = pattern[at] ?? '';
    if (letter === '\\' && at + 1 < pattern.length) {
      at += 1;
      text += pattern[at] ?? '';
    } else if (/[*?[\]{}]/.test(letter)) return text.slice(0, text.lastIndexOf('/') + 1);
    else text += letter;
  }
  return text;
}
