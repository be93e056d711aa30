import { futureTarget, isBelow, joinPath, nameOf } from '../plan/paths.ts';
import type { FileView } from '../plan/types.ts';
import { writtenPath } from './effects.ts';
import { offerOf } from './forms.ts';
import { recordOf } from './list.ts';
import type { Effect, Reading, Touched } from './types.ts';

/** Archives, installed packages and projects of tools can hold links. */
export function linksOf(
  name: string,
  reading: Reading | null,
  at: { cwd: string | null; files: FileView },
): Touched {
  if (reading === null) return 'none';
  const record = recordOf(name);
  if (record?.links === 'carries')
    return reading.effects.some((one) => mayHoldLink(one, at)) ? 'any' : 'none';
  const told = reading.doubts.length > 0 ? undefined : record?.changes?.(reading);
  if (told !== undefined) return told;
  const unpacks = reading.effects.some((one) => one.kind === 'path' && one.use === 'into');
  if (unpacks || record?.links !== undefined) return 'any';
  return record?.project === undefined ? 'none' : 'own';
}

/** Git goes through no link of the tree; who only tells names tells that one is there. */
export function opensFiles(name: string, reading: Reading | null): boolean {
  const record = recordOf(name);
  if (record === null || reading === null || name === 'git') return false;
  const manner = record.walks?.(reading, name) ?? null;
  const walks = manner !== null && manner.namesOnly !== true;
  const isNamed = (one: Effect): boolean =>
    one.kind === 'command' ||
    (one.kind === 'path' && (record.onlyNames !== true || one.use !== 'reads'));
  return walks || reading.effects.some(isNamed);
}

/** Whether a path may be a link, or a folder, in which there may be some. */
function mayHoldLink(
  effect: Effect,
  { cwd, files }: { cwd: string | null; files: FileView },
): boolean {
  if (effect.kind !== 'path') return false;
  const written = writtenPath(effect);
  if (effect.live === true || (cwd === null && !written.startsWith('/'))) return true;
  if (effect.use !== 'reads' && effect.use !== 'deletes') return false;
  const path = written.startsWith('/') ? written : joinPath(cwd ?? '/', written);
  if (files.isLink(path)) return true;
  const facts = files.facts(path);
  // What is not there is not moved; outside of the folder, others may make it meanwhile.
  return facts === null ? cwd === null || !isBelow(path, cwd) : facts.kind !== 'file';
}

/**
 * Which files can have changed behind it. What a reading names is not enough for that: `git switch`
 * and `make` name none. The record has to say that the words only look, or what else they do.
 */
export function changedBy(name: string, reading: Reading | null): Touched {
  const record = recordOf(name);
  if (record === null || reading === null || reading.doubts.length > 0) return 'any';
  const onlyReads = reading.effects.every(
    (one) =>
      one.kind === 'reaches' ||
      (one.kind === 'path' && (one.use === 'reads' || one.path === '/dev/null')),
  );
  if (!onlyReads) return 'any';
  const told = record.changes?.(reading);
  if (told !== undefined) return told;
  const offer = offerOf(reading);
  if (offer === 'reads') return 'none';
  if (record.project !== undefined) return 'own';
  return offer === 'files' ? 'none' : 'any';
}

/**
 * Every path that it may change, where its words tell all of them: what is named is written, edited or
 * deleted, with what lies below it, and nothing else. Null where it may be more.
 */
export function namesChanged(
  name: string,
  reading: Reading | null,
  { cwd, files }: { cwd: string | null; files: FileView },
): readonly string[] | null {
  const record = recordOf(name);
  if (record === null || reading === null || cwd === null || reading.doubts.length > 0) return null;
  if (
    [record.project, record.changes, record.touches, record.links].some((one) => one !== undefined)
  )
    return null;
  const names: string[] = [];
  for (const effect of reading.effects) {
    if (effect.kind === 'reaches' || (effect.kind === 'path' && effect.use === 'reads')) continue;
    if (effect.kind !== 'path' || effect.live === true) return null;
    const written = writtenPath(effect);
    const real = futureTarget(files, cwd, written);
    if (real === null) return null;
    names.push(
      written.startsWith('/') ? joinPath('/', written.slice(1)) : joinPath(cwd, written),
      real,
    );
  }
  return names;
}

/** Scripts through which a framework runs whatever its project holds, by their usual names. */
const consoles = /^(?:artisan|manage\.py|console)$/;

/**
 * Whether a file runs the code of the project around it, and so could at once do whatever it would do
 * through a change of itself.
 */
export function runsProject(path: string): boolean {
  const name = nameOf(path);
  return consoles.test(name) || recordOf(name)?.project !== undefined;
}
