import { compile, readJson, s } from '../../shared/base/index.ts';
import type { Clock, Static } from '../../shared/base/index.ts';
import { readPrivateFile, writeFileAtomic } from '../../shared/home/index.ts';
import type { Buckets } from './bucket.ts';

const maxBytes = 1024 * 1024;
const saveEveryMs = 1_000;

const levelsFile = s.object({
  version: s.literal(1),
  levels: s.record(s.number({ minimum: 0 })),
});
type LevelsFile = Static<typeof levelsFile>;
const check = compile(levelsFile);

/**
 * What the buckets held when the last runner saved them. No file: nothing was used yet. A file that
 * cannot be read or believed: null, which empties every bucket.
 */
export function readLevels(path: string, uid: number): Readonly<Record<string, number>> | null {
  const file = readPrivateFile(path, { uid, maxBytes });
  if (file.kind === 'missing') return {};
  const checked = file.kind === 'text' ? readJson(check, file.text) : null;
  return checked?.ok === true ? checked.value.levels : null;
}

export interface LevelsKeeper {
  /** Saves soon. */
  changed(): void;
  /** Saves now, if there is something to save. */
  flush(): void;
}

/** Writes the levels at most once a second. A failed write is told once to `problem`, and tried again. */
export function keepLevels(options: {
  readonly path: string;
  readonly buckets: () => Buckets;
  readonly clock: Clock;
  readonly problem: (sentence: string) => void;
}): LevelsKeeper {
  const { path, buckets, clock, problem } = options;
  let cancel: (() => void) | null = null;
  const save = (): void => {
    cancel = null;
    const file: LevelsFile = { version: 1, levels: buckets().levels() };
    try {
      writeFileAtomic(path, `${JSON.stringify(file)}\n`);
    } catch {
      problem(`The state of the limits could not be written to ${path}.`);
    }
  };
  return {
    changed: () => {
      cancel ??= clock.after(saveEveryMs, save);
    },
    flush: () => {
      if (cancel === null) return;
      cancel();
      save();
    },
  };
}
