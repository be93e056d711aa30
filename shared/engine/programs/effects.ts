import { futureTarget, joinPath } from '../plan/paths.ts';
import type { FileView, StageEffects } from '../plan/types.ts';
import type { Effect, PathUse, Reading } from './types.ts';

export interface EffectPlace {
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
  const known = new Map<string, string | null>();
  const lookUp = (effect: PathEffect): string | null => {
    const key = `${effect.live === true ? '*' : ''}${writtenPath(effect)}`;
    const seen = known.get(key);
    if (seen !== undefined) return seen;
    const found = known.size < mostPaths ? placeOf(effect, place) : null;
    known.set(key, found);
    return found;
  };
  for (const effect of effects) {
    if (effect.kind === 'path') paths[effect.use].push(lookUp(effect));
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
  return base === undefined || path.startsWith('/') ? path : `${base}/${path}`;
}

function placeOf(effect: PathEffect, { cwd, files }: EffectPlace): string | null {
  const written = writtenPath(effect);
  if (effect.live !== true) return futureTarget(files, cwd, written);
  const start = written.search(/[*?[\\!+@($]/);
  if (start === -1) return futureTarget(files, cwd, written);
  // What a pattern stands for may climb only where it says so.
  if (written.slice(start).split('/').includes('..')) return null;
  const folder = written.slice(0, written.lastIndexOf('/', start) + 1);
  if (folder.startsWith('/')) return futureTarget(files, cwd, joinPath('/', folder));
  return cwd === null ? null : futureTarget(files, cwd, folder === '' ? cwd : folder);
}
