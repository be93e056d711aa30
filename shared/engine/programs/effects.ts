import { globName, namesMeet } from '../places/listed.ts';
import { futureTarget, joinPath, nameOf, parentOf } from '../plan/paths.ts';
import type { FileView, StageEffects } from '../plan/types.ts';
import type { Effect, PathUse, Reading } from './types.ts';

interface EffectPlace {
  readonly cwd: string | null;
  readonly files: FileView;
}

/** So many paths of one program are looked up; those behind them are not known. */
const mostPaths = 256;

type PathEffect = Extract<Effect, { kind: 'path' }>;

/** What a reading comes to on this machine: each path as it lies there. */
export function stageEffects({ effects }: Reading, place: EffectPlace): StageEffects {
  const paths: Record<PathUse, (string | null)[]> = {
    reads: [],
    writes: [],
    edits: [],
    deletes: [],
    into: [],
  };
  const starts: (string | null)[] = [];
  const reaches: string[] = [];
  const known = new Map<string, readonly (string | null)[]>();
  const lookUp = (effect: PathEffect): readonly (string | null)[] => {
    const changes = effect.use !== 'reads' && effect.use !== 'into';
    const key = `${effect.live === true ? '*' : changes ? '!' : ''}${writtenPath(effect)}`;
    const seen = known.get(key);
    if (seen !== undefined) return seen;
    const found = known.size < mostPaths ? placesOf(effect, changes, place) : [null];
    known.set(key, found);
    return found;
  };
  for (const effect of effects) {
    if (effect.kind === 'path') paths[effect.use].push(...lookUp(effect));
    else if (effect.kind === 'starts') starts.push(effect.program);
    else if (effect.kind === 'command') starts.push(effect.words[0]?.text ?? null);
    else if (effect.kind === 'shell') starts.push(null);
    else if (effect.kind === 'loads')
      paths.reads.push(
        effect.path === null ? null : futureTarget(place.files, place.cwd, effect.path),
      );
    else if (effect.kind === 'reaches') reaches.push(effect.address);
  }
  const once = (list: readonly (string | null)[]) => [...new Set(list)];
  return {
    reads: once([...paths.reads, ...paths.edits]),
    writes: once([...paths.writes, ...paths.edits]),
    deletes: once(paths.deletes),
    into: once(paths.into),
    starts,
    reaches,
    network: reaches.length > 0,
  };
}

/** The path as written, below its base where it has one. */
export function writtenPath({ path, base }: Pick<PathEffect, 'path' | 'base'>): string {
  return base === undefined || path.startsWith('/')
    ? path
    : `${base.replace(/(.)\/+$/, '$1')}/${path}`;
}

/**
 * Where a path leads. What changes it may follow a link that stands there (`truncate`) or put
 * something else in its place (`rm`, `mv`, `sed -i`): both are named then.
 */
function placesOf(
  effect: PathEffect,
  changes: boolean,
  { cwd, files }: EffectPlace,
): readonly (string | null)[] {
  const written = writtenPath(effect);
  const start = effect.live === true ? written.search(/[*?[\\!+@($]/) : -1;
  if (start === -1) {
    const target = futureTarget(files, cwd, written);
    const whole = written.startsWith('/') ? written : `${cwd ?? ''}/${written}`;
    const path = whole.replace(/(.)\/+$/, '$1');
    if (!changes || target === null || !files.isLink(path)) return [target];
    const folder = futureTarget(files, cwd, parentOf(path));
    return [target, folder === null ? null : joinPath(folder, nameOf(path))];
  }
  // What a pattern stands for may climb only where it says so.
  if (written.slice(start).split('/').includes('..')) return [null];
  const folder = written.slice(0, written.lastIndexOf('/', start) + 1);
  const place = folder.startsWith('/')
    ? futureTarget(files, cwd, joinPath('/', folder))
    : cwd === null
      ? null
      : futureTarget(files, cwd, folder === '' ? cwd : folder);
  if (place === null) return [null];
  return [place, ...linksMatched(place, written.slice(folder.length).split('/'), files)];
}

/** So many folders are listed for one pattern; what links of others lead to is not known. */
const mostListed = 64;

/** Where links that a pattern matches lead: out of the folder that it stays in, perhaps. */
function linksMatched(
  folder: string,
  names: readonly string[],
  files: FileView,
): readonly (string | null)[] {
  const found: (string | null)[] = [];
  let folders: readonly string[] = [folder];
  for (const [depth, name] of names.entries()) {
    const wanted = /[\\(]/.test(name) ? null : globName(name);
    const next: string[] = [];
    for (const one of folders)
      for (const [entry, kind] of files.entries?.(one) ?? []) {
        if (wanted !== null && !namesMeet(wanted, entry, false)) continue;
        const path = joinPath(one, entry);
        if (kind === 'link') found.push(files.realPath(path));
        if (kind !== 'file') next.push(path);
      }
    if (depth === names.length - 1) break;
    if (next.length > mostListed) return [...found, null];
    folders = next;
  }
  return found;
}
