import { isBelow, joinPath } from '../plan/paths.ts';
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
