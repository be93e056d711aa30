import type { CommandRequest, GuardedUse, Surroundings } from '../plan/types.ts';
import { couldHold } from './could.ts';
import { foldedSegments } from './names.ts';
import { isHiddenSetting, isRecipe } from './list/recipes.ts';
import { guards, placeOf } from './place-of.ts';
import type { PlaceContext, PlaceMachine, Placement } from './types.ts';

/** What the place of a path depends on. */
export type PlaceSurroundings = Pick<Surroundings, 'files' | 'home' | 'platform' | 'known'> &
  Partial<Pick<Surroundings, 'path' | 'workspaces' | 'variables'>>;

const none: readonly never[] = [];

const machines = new WeakMap<PlaceSurroundings, PlaceMachine>();

/** The machine as places see it; the PATH as written and as it really is. */
function machineOf(surroundings: PlaceSurroundings): PlaceMachine {
  const made = machines.get(surroundings);
  if (made !== undefined) return made;
  const { files, home, platform, path = none, variables, known = none } = surroundings;
  const temporary = variables?.['TMPDIR'];
  const machine: PlaceMachine = {
    home,
    platform,
    temporary: temporary === undefined ? none : [temporary],
    path: asWrittenAndReal(path, files),
    known,
    files,
  };
  machines.set(surroundings, machine);
  return machine;
}

let lastPath: readonly string[] = [];

/** The same list while its folders lead where they led. */
function asWrittenAndReal(
  path: readonly string[],
  files: PlaceSurroundings['files'],
): readonly string[] {
  const folders = new Set<string>();
  for (const folder of path) folders.add(folder).add(files.realPath(folder) ?? folder);
  let at = 0;
  let same = folders.size === lastPath.length;
  for (const folder of folders) same &&= folder === lastPath[at++];
  if (!same) lastPath = [...folders];
  return lastPath;
}

/** Where a path that a stage names stands. */
export function placeContext(surroundings: PlaceSurroundings, cwd: string | null): PlaceContext {
  return { machine: machineOf(surroundings), cwd, projects: surroundings.workspaces ?? [] };
}

/** Reading matters where something is kept from others, writing where something comes of it. */
export function isGuardedUse(use: GuardedUse['use'], placement: Placement): boolean {
  const { place } = placement;
  return use === 'write' ? guards(placement) : place === 'own' || place === 'secret';
}

/**
 * What the redirections of a stage do in guarded places; their paths are absolute. A recipe of the
 * project counts as one: a glob for its files was not made for what its commands run.
 */
export function guardedRedirects(
  {
    writes,
    reads,
    cwd,
  }: {
    readonly writes: readonly string[];
    readonly reads: readonly string[];
    readonly cwd: string | null;
  },
  surroundings: PlaceSurroundings,
): readonly GuardedUse[] {
  if (writes.length === 0 && reads.length === 0) return [];
  const context = placeContext(surroundings, '/');
  return [
    ...writes.flatMap((path) => useOf('write', null, placeOf(path, context))),
    ...writes.flatMap((path): readonly GuardedUse[] => {
      const placement = placeOf(path, { ...context, cwd: cwd ?? '/' });
      const reach = foldedSegments(placement.path).length;
      return isRecipe(placement) || isHidden(placement, cwd)
        ? [{ use: 'write', word: null, placement: { ...placement, reach } }]
        : [];
    }),
    ...reads.flatMap((path) => useOf('read', null, placeOf(path, context))),
  ];
}

/** A hidden name in the folder of the command of which nobody knows that it is inert. */
export function isHidden({ path, place }: Placement, cwd: string | null): boolean {
  return place === 'project' && cwd !== null && isHiddenSetting(path, cwd);
}

/** The use as a list, empty where the place is none that is guarded. */
export function useOf(
  use: GuardedUse['use'],
  word: string | null,
  placement: Placement,
): readonly GuardedUse[] {
  return isGuardedUse(use, placement) ? [{ use, word, placement }] : [];
}

/**
 * A folder that is taken away, moved or gone through with all that is in it: the guarded place on the
 * way or below that its name tells. Null for any other folder.
 */
export function heldBelow(
  path: string,
  use: GuardedUse['use'],
  context: PlaceContext,
): Placement | null {
  const { machine } = context;
  const real = machine.files?.realPath(path) ?? path;
  const named = byName(context);
  const held =
    use === 'write'
      ? couldHold(real, named, ['own', 'steers'])
      : couldHold(real, named, ['own', 'secret'], { anywhere: false });
  if (held === null) return null;
  const reason = `may hold what ${held.reason}`;
  return { ...held, reason, path: real, reach: Number.MAX_SAFE_INTEGER, disarms: false };
}

const bare = new WeakMap<PlaceMachine, PlaceMachine>();

/** The same with paths taken for what they say: nothing is looked up. */
export function byName(context: PlaceContext): PlaceContext {
  return { ...context, machine: bareMachine(context.machine) };
}

function bareMachine(machine: PlaceMachine): PlaceMachine {
  const made = bare.get(machine) ?? { ...machine, files: null };
  bare.set(machine, made);
  return made;
}

const mostMentions = 200;

/**
 * Guarded places that stand anywhere in a request that is not understood. A text can hide them, so
 * this holds back what is plain to see, and proves nothing of the rest.
 */
export function guardedMentions(
  { argv, command, cwd }: CommandRequest,
  surroundings: PlaceSurroundings,
): readonly GuardedUse[] {
  const text = argv === undefined ? (command ?? '') : argv.join('\n');
  try {
    return mentions(text.slice(0, 65_536), placeContext(surroundings, cwd));
  } catch {
    const reason = 'cannot be told from the files of this machine';
    const placement: Placement = { place: 'own', reason, path: cwd, reach: 0, disarms: false };
    return [{ use: 'write', word: null, placement }];
  }
}

function mentions(text: string, context: PlaceContext): readonly GuardedUse[] {
  const found: GuardedUse[] = [];
  let looks = 0;
  for (const word of new Set(text.split(/[\s;&|<>()'"`$={},:@]+/))) {
    if (!/[./~]|id_|key/.test(word) || (looks += 1) > mostMentions) continue;
    const placement = placeOf(word.replace(/^-+\w?/, ''), context);
    if (guards(placement) && placement.place !== 'runs-later')
      found.push({ use: 'write', word: null, placement });
  }
  return found;
}
