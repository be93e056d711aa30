import { remembered } from '../../base/index.ts';
import { foldedSegments } from './names.ts';
import { findAnywhere, findLines, outranks } from './table.ts';
import type { Hit } from './table.ts';
import type { Place } from './types.ts';

/**
 * What the list says of an absolute path, or one that starts with `~`, by its names alone: nothing is
 * looked up, and no machine is asked. For words in risk findings; whether something is held is for
 * `placeOf` to say.
 */
function listedAs(path: string, among: ReadonlySet<Place>): string | null {
  let worst: Hit | null = null;
  for (const hit of hitsOf(path))
    if (among.has(hit.line.entry.place) && (worst === null || outranks(hit, worst))) worst = hit;
  return worst?.line.entry.reason ?? null;
}

/** Every line of the list that a path fits. The same words come again all day. */
const hitsOf = remembered((path): readonly Hit[] => {
  const segments = foldedSegments(path);
  const hits: Hit[] = [];
  findLines('root', segments, { start: 0, hits });
  if (segments[0] === 'private') findLines('root', segments, { start: 1, hits });
  const home = homeOf(segments);
  if (home !== null) findLines('home', segments, { start: home, hits });
  findAnywhere(segments, hits);
  return hits;
});

function homeOf([first, second]: readonly string[]): number | null {
  if (first === '~' || first === 'root') return 1;
  return (first === 'home' || first === 'users') && second !== undefined ? 2 : null;
}

const later: ReadonlySet<Place> = new Set(['own', 'steers', 'runs-later']);
const kept: ReadonlySet<Place> = new Set(['own', 'secret']);

/** When something runs, is steered or let in because of what lies there: completes "PATH, which …". */
export function laterByName(path: string): string | null {
  return listedAs(path, later);
}

const laterInProject: ReadonlySet<Place> = new Set([...later, 'project']);

/** The same, and for what a project's own commands run or an agent is told there: recipes, scripts. */
export function actsLaterByName(path: string): string | null {
  return listedAs(path, laterInProject);
}

/** What is kept from others there: completes "PATH, which …"; null for what is no secret. */
export function secretByName(path: string): string | null {
  return listedAs(path, kept);
}
