import { refuse } from '../base/index.ts';

/**
 * From one version of INTERLOCK_HOME to the next. The version is of the whole home, and grows when a
 * program before it could no longer read what one after it writes.
 */

/** Texts of files of a home, by their paths below it. What is not there is absent. */
export type HomeTexts = ReadonlyMap<string, string>;

/** One step of the way. */
export interface Migration {
  /** The version that the home has after it; one more than before. */
  readonly to: number;
  /** What it is about, for people: one sentence. */
  readonly what: string;
  /** The files that it may read and change, by their paths below the home. */
  readonly touches: readonly string[];
  /** Their texts afterwards. Throws where it cannot read one; nothing has been changed then. */
  readonly migrate: (before: HomeTexts) => HomeTexts;
}

/** Every step there is, in their order. */
export const migrations: readonly Migration[] = [
  {
    to: 1,
    what: 'The home says which version it has. Every file stays as it is.',
    touches: [],
    migrate: (before) => before,
  },
];

/** The version of the homes that this program makes and works on. */
export const homeVersion = versionAfter(migrations);

/** The version that a home has after all of these steps. */
export function versionAfter(table: readonly Migration[]): number {
  return table.at(-1)?.to ?? 0;
}

/** The steps that a home of this version lacks. */
export function missingFrom(version: number, table: readonly Migration[]): readonly Migration[] {
  return table.filter(({ to }) => to > version);
}

/** The files that these steps may change. */
export function touchedBy(steps: readonly Migration[]): readonly string[] {
  return [...new Set(steps.flatMap(({ touches }) => touches))].toSorted();
}

/**
 * The texts after these steps, in their order. Throws a `config-invalid` refusal where a step fails, or
 * where it changed what it does not say that it touches.
 */
export function migrated(before: HomeTexts, steps: readonly Migration[]): HomeTexts {
  let texts = before;
  for (const { to, touches, migrate } of steps) {
    const seen = new Map([...texts].filter(([path]) => touches.includes(path)));
    const after = afterStep(to, () => migrate(seen));
    const foreign = [...after.keys()].find((path) => !touches.includes(path));
    if (foreign !== undefined) throw failedStep(to, `it would write ${foreign}`);
    const others = [...texts].filter(([path]) => !touches.includes(path));
    texts = new Map([...others, ...after]);
  }
  return texts;
}

function afterStep(to: number, step: () => HomeTexts): HomeTexts {
  try {
    return step();
  } catch (error) {
    throw failedStep(to, error instanceof Error ? error.message : String(error));
  }
}

function failedStep(to: number, why: string): Error {
  return refuse(
    'config-invalid',
    `This home cannot be brought to version ${String(to)}: ${why.replace(/\.$/u, '')}.`,
    'Nothing was changed. Mend that file, or go on with the program that was here before.',
  );
}
