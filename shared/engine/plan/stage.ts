import { guardedRedirects } from '../places/context.ts';
import type { Executable, GuardedUse, Recipe, Stage, StageEffects, Trust } from './types.ts';
import { opaque } from '../parse/syntax.ts';
import { isWhereAgentsWrite } from './executable.ts';
import { isBelow } from './paths.ts';
import { mostStages, type PlanContext, type Place } from './shell-state.ts';
import type { Argument } from '../programs/types.ts';

/** What is known about a program once its arguments were judged. */
export interface Judgement {
  readonly trust: Trust;
  readonly carries: readonly Stage[];
  /** Real path of the file of code that it runs. */
  readonly script: string | null;
  /** The code that stands in the command and is given to it as input. */
  readonly code?: string | undefined;
  readonly recipe?: Recipe | undefined;
  /** Whether it may change files, so that what was seen before it may be stale behind it. */
  readonly changes: boolean;
  /** Whether it may put a symbolic link somewhere. */
  readonly links: boolean;
  readonly effects: StageEffects | null;
  /** Guarded places that its arguments lead to. */
  readonly guarded: readonly GuardedUse[];
}

/** Of a word of the shell that is no program: it carries, changes and reaches nothing. */
export const doesNothing: Omit<Judgement, 'trust'> = {
  carries: [],
  script: null,
  changes: false,
  links: false,
  effects: null,
  guarded: [],
};

/** A stage without surroundings of its own, for builtins and outlines. */
export function makeStage(
  place: Place,
  about: { words: readonly Argument[]; executable: Executable } & Pick<
    Stage,
    'trust' | 'carries' | 'script' | 'effects' | 'guarded'
  > &
    Pick<Judgement, 'code' | 'recipe'>,
): Stage {
  const { words, executable, trust, carries, script, effects, guarded, code, recipe } = about;
  const globs: number[] = [];
  words.forEach((word, index) => {
    if (word.live !== null) globs.push(index);
  });
  return {
    guarded,
    argv: words.map((word) => word.text),
    globs,
    executable,
    script,
    ...(code !== undefined && { code }),
    ...(recipe !== undefined && { recipe }),
    via: place.wrappers.map((wrapper) => wrapper.label),
    wrappers: place.wrappers,
    carries,
    cwd: place.cwd,
    assignments: place.assignments,
    writes: place.writes,
    reads: place.reads,
    trust,
    effects,
    span: place.span,
  };
}

/** Whether the file, or a link that leads to it, lies where earlier parts may have written. */
function mayHaveChanged(executable: Executable, context: PlanContext, place: Place): boolean {
  if (executable.kind !== 'file') return false;
  if (executable.agentWritable) return true;
  const { surroundings, request } = context;
  if (surroundings.trustedDirectories.some((one) => isBelow(executable.path, one))) return false;
  const search = { surroundings, cwd: place.cwd, requestCwd: request.cwd };
  return isWhereAgentsWrite(executable.path, search);
}

/** Whether an earlier part may have changed anything that the stage runs, as far as that is seen. */
function mayRunChanged(
  {
    executable,
    script,
    carries,
  }: { executable: Executable; script: string | null; carries: readonly Stage[] },
  context: PlanContext,
  place: Place,
): boolean {
  const { trustedDirectories } = context.surroundings;
  if (mayHaveChanged(executable, context, place)) return true;
  if (script !== null && !trustedDirectories.some((one) => isBelow(script, one))) return true;
  return carries.some(
    (inner) =>
      // A file that is not there yet may be there by then.
      (inner.executable.kind === 'missing' && inner.executable.name.includes('/')) ||
      mayRunChanged(inner, context, place),
  );
}

/** Adds the stage to the plan, and notes what later parts may no longer rely on. */
export function pushStage(
  context: PlanContext,
  place: Place,
  about: { words: readonly Argument[]; executable: Executable } & Judgement,
): void {
  const { changes, links } = about;
  let { trust } = about;
  if (context.changed && mayRunChanged(about, context, place))
    trust = {
      level: 'never',
      reason: 'an earlier part of the same command could change this program before it runs',
    };
  if (context.stages.length >= mostStages)
    throw opaque('too-long', `The command runs more than ${mostStages} programs.`);
  const redirected = guardedRedirects(place, context.surroundings);
  const guarded = [...about.guarded, ...redirected];
  context.stages.push(makeStage(place, { ...about, trust, guarded }));
  const marked = changes || place.writes.length > 0;
  context.marks[context.stages.length - 1] = { changes: marked, links };
  context.changed ||= marked;
  context.linked ||= links;
}
