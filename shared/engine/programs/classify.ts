import { outlineArguments, outlineText } from '../plan/outline.ts';
import type { PlanContext, Place } from '../plan/shell-state.ts';
import type { RenderedArgument } from '../plan/expand.ts';
import type { Judgement } from '../plan/stage.ts';
import {
  findExecutable,
  isWhereAgentsWrite,
  programName,
  type Search,
} from '../plan/executable.ts';
import { realTarget } from '../plan/paths.ts';
import type { Executable, Stage } from '../plan/types.ts';
import { transparentPrograms } from '../plan/wrappers.ts';
import { stageEffects } from './effects.ts';
import { judge } from './judge.ts';
import { linkMakers, readers } from './legacy/effects.ts';
import { familyOf, judgeOf } from './legacy/families.ts';
import { judgeMakeVariables } from './legacy/files.ts';
import {
  carriedGuesses,
  never,
  open,
  pinned,
  strictest,
  type Carried,
  type Finding,
  type Judge,
} from './legacy/judge.ts';
import { plainPrograms } from './legacy/plain.ts';
import {
  judgeReach,
  judgeStarting,
  judgeUnknown,
  projectTools,
  type IsProgram,
} from './legacy/project-tools.ts';
import { guardedEffects, guardedOperands } from './legacy/writes/guarded.ts';
import { judgeEffects, judgeWrites } from './legacy/writes/judge.ts';
import { recordOf } from './list.ts';
import { anchored, mayBecomeOption } from './patterns.ts';
import { readArguments } from './read.ts';
import { judgeRepository } from './repository/judge.ts';
import type { Argument, Reading } from './types.ts';

/** Programs that are told what to be by the name they are called by. */
const multiCall: ReadonlySet<string> = new Set(['busybox', 'toybox', 'coreutils']);

/** What is known of a program with its arguments, and the arguments as they shall run. */
export interface Classified extends Judgement {
  readonly args: readonly RenderedArgument[];
}

/** How far a rule may trust a program with these arguments, and what it would do and run. */
export function classify(
  written: readonly RenderedArgument[],
  executable: Executable,
  at: { context: PlanContext; place: Place },
): Classified {
  const { context, place } = at;
  const { surroundings } = context;
  const { files } = surroundings;
  const names = namesOf(executable, surroundings.platform);
  const [first = ''] = names;
  const args = anchored(written, { name: first, record: recordOf(first), anchor });
  const readings = names.flatMap((name) => readingOf(name, args));
  const search = { surroundings, cwd: place.cwd, requestCwd: context.request.cwd };
  const findings: readonly Finding[] = [
    ...readings.map((reading) => judge(reading)),
    ...names.filter((name) => recordOf(name) === null).map((name) => byTable(name, args, search)),
    judgePatterns(names, args),
    judgeFirstLine(executable, context, search),
    ...byProgram(names, readings, args, at),
  ];
  const finding = findings.reduce(strictest, open);
  const trusted = executable.kind === 'file' && executable.trusted;
  const script = finding.script === undefined ? null : realTarget(files, place.cwd, finding.script);
  const carries = (finding.carries ?? []).flatMap((one) => carriedStages(one, context));
  const [reading] = readings;
  const guard = { cwd: place.cwd, surroundings, request: context.request };
  return {
    args,
    trust: strictest(finding, worstOf(finding, carries)).trust,
    script,
    carries,
    effects: reading === undefined ? null : stageEffects(reading, { cwd: place.cwd, files }),
    changes: !trusted || !names.every((name) => onlyReads(name, readings)),
    links: names.some((name) => linkMakers.has(name)),
    guarded: [
      ...names.flatMap((name) => guardedOperands(args, name, guard)),
      ...readings.flatMap((one) => guardedEffects(one, args, guard)),
      ...carries.flatMap((inner) => inner.guarded),
    ],
  };
}

function anchor({ text, live, render }: RenderedArgument): RenderedArgument {
  return { text: `./${text}`, live, render: `./${render}` };
}

function readingOf(name: string, args: readonly Argument[]): readonly Reading[] {
  const record = recordOf(name);
  return record === null ? [] : [readArguments(record, args)];
}

/** What the tables say of programs that have no record yet. */
function byTable(name: string, args: readonly Argument[], search: Search): Finding {
  const isProgram: IsProgram = (word) =>
    word.length < 256 && findExecutable(word, search).kind === 'file';
  const table = judgeOf(name) ?? fallback(name, isProgram);
  if (table !== null) return table(args, name);
  // Here it is not looked through: its options are not understood, or the file is not the system's.
  return transparentPrograms.has(name) && args.length > 0
    ? never(`${name} is called in a way that is not followed`, carriedGuesses(args))
    : open;
}

/** For programs without a table of their own; those that only read, and those looked through, need none. */
function fallback(name: string, isProgram: IsProgram): Judge | null {
  if (projectTools.has(name)) return judgeStarting;
  const known = readers.has(name) || plainPrograms.has(name) || transparentPrograms.has(name);
  return known ? null : judgeUnknown(isProgram);
}

/** A record finds these by itself; here for those that have none. */
function judgePatterns(names: readonly string[], args: readonly Argument[]): Finding {
  if (names.every((name) => recordOf(name) !== null)) return open;
  const end = args.findIndex(({ text, live }) => live === null && text === '--');
  return args.slice(0, end === -1 ? args.length : end).some(mayBecomeOption)
    ? pinned('the name of a file could be taken for an option')
    : open;
}

/** What depends on more than the arguments: the folder, the repository, places, variables. */
function byProgram(
  names: readonly string[],
  readings: readonly Reading[],
  args: readonly Argument[],
  { context, place }: { context: PlanContext; place: Place },
): readonly Finding[] {
  const { surroundings } = context;
  const found: Finding[] = [];
  for (const name of names) {
    if (projectTools.has(name)) found.push(judgeReach(args, name, place.cwd));
    if (name === 'make' || name === 'gmake') found.push(judgeMakeVariables(place.assignments));
    found.push(judgeWrites(args, name, { cwd: place.cwd, surroundings }));
  }
  for (const reading of readings)
    found.push(judgeEffects(reading, { cwd: place.cwd, surroundings }));
  for (const reading of readings)
    if (reading.program === 'git' && usesRepository(reading))
      found.push(
        judgeRepository(gitDirectory(reading, place.cwd), surroundings.files, context.stages),
      );
  return found;
}

/** Without a command git prints something about itself. */
function usesRepository({ command, doubts }: Reading): boolean {
  return (command.length > 0 || doubts.length > 0) && command[0] !== 'version';
}

/** The directory in which git looks for its repository; null where it cannot be known. */
function gitDirectory({ options, ownOptions }: Reading, cwd: string | null): string | null {
  let directory = cwd;
  for (const { name, value, live } of options.slice(0, ownOptions)) {
    if (name !== '-C' || value === null || value === '') continue;
    if (live) return null;
    if (value.startsWith('/')) directory = value;
    else if (directory !== null) directory = `${directory}/${value}`;
  }
  return directory;
}

/** The hash of a script says nothing of an interpreter that lies where agents write. */
function judgeFirstLine(executable: Executable, context: PlanContext, search: Search): Finding {
  if (executable.kind !== 'file' || executable.interpreter === null) return open;
  const { interpreter } = executable;
  // What another program runs is shown without its folder, which is then the one of the request.
  const cwd = context.outline.depth > 0 ? (search.cwd ?? search.requestCwd) : search.cwd;
  return !interpreter.startsWith('/') || isWhereAgentsWrite(interpreter, { ...search, cwd })
    ? never('the interpreter in its first line is not certain, or lies where agents write')
    : open;
}

/** Whether nothing on this machine can have changed behind it. */
function onlyReads(name: string, readings: readonly Reading[]): boolean {
  if (recordOf(name) === null) return readers.has(name);
  return readings.every(
    ({ effects, doubts }) =>
      doubts.length === 0 &&
      effects.every(
        (one) => (one.kind === 'path' && one.use === 'reads') || one.kind === 'reaches',
      ),
  );
}

/** What no rule may allow by itself, no rule may allow through another program. */
function worstOf(finding: Finding, carries: readonly Stage[]): Finding {
  const words = finding.carries?.every((one) => one.kind === 'words') === true;
  const worst = words ? carries.find((stage) => stage.trust.level === 'never') : undefined;
  return worst === undefined ? finding : { trust: worst.trust };
}

/** Every name that says what the program is: as written, as found, and what links lead to. */
function namesOf(
  executable: Executable,
  platform: 'linux' | 'darwin' | 'win32',
): readonly string[] {
  if (executable.kind !== 'file') return [familyOf(programName(executable.name, platform))];
  const called = familyOf(programName(executable.path, platform));
  const real = familyOf(programName(executable.realPath, platform));
  return called === real || multiCall.has(real) ? [called] : [called, real];
}

function carriedStages(carried: Carried, context: PlanContext) {
  if (carried.kind === 'text') return outlineText(carried.text, context);
  return outlineArguments(carried.words, context);
}
