import { guardedRedirects } from '../places/context.ts';
import type {
  DecidingFiles,
  Executable,
  GuardedUse,
  Recipe,
  Stage,
  StageEffects,
  Trust,
} from './types.ts';
import { opaque } from '../parse/syntax.ts';
import { isWhereAgentsWrite } from './executable.ts';
import { isBelow, nameOf } from './paths.ts';
import { mostStages, mostTouched, type PlanContext, type Place } from './shell-state.ts';
import { runsProject } from '../programs/touched.ts';
import type { Argument, Touched } from '../programs/types.ts';

/** What is known about a program once its arguments were judged. */
export interface Judgement {
  readonly trust: Trust;
  readonly carries: readonly Stage[];
  /** Real path of the file of code that it runs. */
  readonly script: string | null;
  /** The code that stands in the command and is given to it as input. */
  readonly code?: string | undefined;
  readonly isCodeRead?: true | undefined;
  readonly recipe?: Recipe | undefined;
  readonly files?: DecidingFiles | undefined;
  /** Which files it may change, so that what was seen of them before it may be stale behind it. */
  readonly changes: Touched;
  /** All that it changes, where that is known. */
  readonly names: readonly string[] | null;
  /** In the place of which files it may put a symbolic link. */
  readonly links: Touched;
  /** Whether it opens files by their names, and so goes through a link that stands there. */
  readonly opens: boolean;
  readonly effects: StageEffects | null;
  /** Guarded places that its arguments lead to. */
  readonly guarded: readonly GuardedUse[];
}

/** Of a word of the shell that is no program: it carries, changes and reaches nothing. */
export const doesNothing: Omit<Judgement, 'trust'> = {
  carries: [],
  script: null,
  changes: 'none',
  names: [],
  links: 'none',
  opens: false,
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
    Pick<Judgement, 'code' | 'isCodeRead' | 'recipe' | 'files'>,
): Stage {
  const { words, executable, trust, carries, script, effects, guarded, recipe, files } = about;
  const { code, isCodeRead } = about;
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
    ...(isCodeRead !== undefined && { isCodeRead }),
    ...(recipe !== undefined && { recipe }),
    ...(files !== undefined && { files }),
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
function mayHaveChanged(
  executable: Executable,
  context: PlanContext,
  place: Pick<Place, 'cwd'>,
): boolean {
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
  place: Pick<Place, 'cwd'>,
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

/** The files that a stage runs, itself and by what it carries; null where they are not all known. */
function filesRun({
  executable,
  script,
  carries,
}: Pick<Stage, 'executable' | 'script' | 'carries'>): readonly string[] | null {
  if (executable.kind !== 'file')
    return executable.kind === 'builtin' && carries.length === 0 ? [] : null;
  const inner = carries.map(filesRun);
  if (inner.includes(null)) return null;
  return [
    ...[executable.path, executable.realPath, script].filter((one) => one !== null),
    ...inner.flatMap((one) => one ?? []),
  ];
}

/**
 * Whether it is a console that runs whatever its project holds, and the parts before it left it alone:
 * they name all that they change, and it is something else, or they are the same console, which could
 * do at once whatever a change of itself would do later. What another script takes from the files
 * beside it nobody knows.
 */
function isSpared(
  about: Pick<Stage, 'executable' | 'script' | 'carries'>,
  { stages, marks, loops, background, linked, surroundings }: PlanContext,
): boolean {
  const files = filesRun(about);
  if (files === null || loops.depth > 0 || background.seen > 0 || linked === 'any') return false;
  const [own] = [about.script, ...files].filter((one) => one !== null);
  if (own === undefined || !runsProject(own)) return false;
  const inodeOf = (path: string) => surroundings.files.facts(path)?.inode;
  const inodes = files.map(inodeOf);
  const isOther = (path: string): boolean =>
    // A name that goes on from the other may be a copy that is kept, or what is unpacked of it.
    !files.some((file) => file.startsWith(path) || path.startsWith(file)) &&
    !inodes.includes(inodeOf(path) ?? -1);
  return stages.every((stage, at) => {
    const mark = marks[at];
    if (mark?.changes === 'none') return true;
    if (mark === undefined || !stage.writes.every((path) => path !== null && isOther(path)))
      return false;
    if (mark.names !== null && stage.trust.level === 'open') return mark.names.every(isOther);
    const [before] = [stage.script, ...(filesRun(stage) ?? [])].filter((one) => one !== null);
    const { writes = [], into = [], deletes = [] } = stage.effects ?? {};
    return (
      own === before &&
      // Told of itself, a script could be one that writes over what it is told of.
      stage.argv.filter((word) => word.endsWith(nameOf(own))).length === 1 &&
      [...writes, ...into, ...deletes].every((path) => path !== null && isOther(path))
    );
  });
}

/**
 * Whether a file that the stage opens may be a link by then, which leads wherever it likes: to a key,
 * to what runs at the next login.
 */
function mayFollowLink(
  { effects }: Pick<Stage, 'effects'>,
  { surroundings }: PlanContext,
): boolean {
  if (effects === null) return true;
  const { reads, writes, into, deletes, starts } = effects;
  const paths = [...reads, ...writes, ...into, ...deletes];
  const { trustedDirectories } = surroundings;
  return (
    paths.length === 0 ||
    starts.length > 0 ||
    paths.some((path) => path === null || !trustedDirectories.some((one) => isBelow(path, one)))
  );
}

/** What was read of files is not what they say when the stage starts. */
function unsure(files: DecidingFiles | undefined): DecidingFiles | undefined {
  return files === undefined ? undefined : { ...files, digest: null };
}

/** Adds the stage to the plan, and notes what later parts may no longer rely on. */
export function pushStage(
  context: PlanContext,
  place: Place,
  about: { words: readonly Argument[]; executable: Executable } & Judgement,
): void {
  const { changes, names, links } = about;
  let { trust } = about;
  if (
    context.changed !== 'none' &&
    mayRunChanged(about, context, place) &&
    !isSpared(about, context)
  )
    trust = {
      level: 'never',
      reason: 'an earlier part of the same command could change this program before it runs',
    };
  else if (context.linked === 'any' && about.opens && mayFollowLink(about, context))
    trust = {
      level: 'never',
      reason: 'an earlier part of the same command could put a link in the place of a file of it',
    };
  if (context.stages.length >= mostStages)
    throw opaque('too-long', `The command runs more than ${mostStages} programs.`);
  const redirected = guardedRedirects(place, context.surroundings);
  const guarded = [...about.guarded, ...redirected];
  const files = context.changed === 'none' ? about.files : unsure(about.files);
  context.stages.push(makeStage(place, { ...about, files, trust, guarded }));
  const marked = place.writes.length > 0 ? 'any' : changes;
  context.marks[context.stages.length - 1] = { changes: marked, names, links, opens: about.opens };
  context.changed = mostTouched([context.changed, marked]);
  context.linked = mostTouched([context.linked, links]);
}

/**
 * The parts of a pipeline run at the same time, so none may run or open what another one changes;
 * `parts` are the first stage of each, and the one behind its last.
 */
export function judgeBeside(
  context: PlanContext,
  parts: readonly (readonly [first: number, end: number])[],
): void {
  const { stages, marks } = context;
  for (const [first, end] of parts)
    for (let at = first; at < end; at += 1) {
      const stage = stages[at];
      if (stage === undefined || stage.trust.level === 'never') continue;
      const [start = first] = parts[0] ?? [];
      const isBeside = (index: number): boolean =>
        index >= start && (index < first || index >= end);
      const isLinked = marks.some(({ links }, index) => links === 'any' && isBeside(index));
      const follows = (): boolean => marks[at]?.opens === true && mayFollowLink(stage, context);
      const linked = isLinked && (follows() || mayRunChanged(stage, context, stage));
      const { files } = stage;
      if (
        files !== undefined &&
        marks.some((mark, one) => isBeside(one) && mark.changes !== 'none')
      )
        stages[at] = { ...stage, files: { ...files, digest: null } };
      if (linked || stages.some((other, index) => isBeside(index) && overwrites(other, stage)))
        stages[at] = {
          ...stage,
          trust: {
            level: 'never',
            reason: 'another part of the pipeline could change what it uses',
          },
        };
    }
}

/** Whether a stage writes over what another one runs. */
function overwrites({ writes, effects }: Stage, { script, executable }: Stage): boolean {
  const files = executable.kind === 'file' ? [executable.path, executable.realPath] : [];
  const { writes: written = [], into = [], deletes = [] } = effects ?? {};
  return [...(script === null ? [] : [script]), ...files].some((file) =>
    [...writes, ...written, ...into, ...deletes].some(
      (path) => path !== null && isBelow(file, path),
    ),
  );
}
