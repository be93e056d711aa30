import { outlineArguments, outlineText } from '../plan/outline.ts';
import { mostTouched, type PlanContext, type Place } from '../plan/shell-state.ts';
import { literal } from '../plan/expand.ts';
import type { RenderedArgument } from '../plan/expand.ts';
import { placeContext } from '../places/context.ts';
import { listedMatches } from '../places/listed.ts';
import type { PlaceContext } from '../places/types.ts';
import type { Judgement } from '../plan/stage.ts';
import {
  findExecutable,
  isWhereAgentsWrite,
  programName,
  type Search,
} from '../plan/executable.ts';
import { futureTarget, isBelow, realTarget } from '../plan/paths.ts';
import type { Executable, Stage } from '../plan/types.ts';
import { passesOnOf } from '../plan/wrappers.ts';
import { decidingFiles } from './deciding.ts';
import { stageEffects, writtenPath } from './effects.ts';
import { judgeComposeFile } from './compose-file.ts';
import { judge, staysBelow, type IsInside } from './judge.ts';
import {
  carriedGuesses,
  givenCode,
  never,
  open,
  strictest,
  type Carried,
  type Finding,
} from './finding.ts';
import {
  judgePatterns,
  judgeReach,
  judgeUnknownFolder,
  judgeUnrecorded,
  type IsProgram,
} from './unknown.ts';
import { guardedUses } from './writes/guarded.ts';
import { judgeImports, judgeNamed, judgeShadows, judgeVariables } from './variables.ts';
import { judgeEffects, judgeWords } from './writes/judge.ts';
import { isRead, readingOf, textGiven } from './given.ts';
import { isSure } from './named.ts';
import { recordOf } from './list.ts';
import { useAt } from './operands.ts';
import { anchored } from './patterns.ts';
import { judgeShownSettings } from './repository/credentials.ts';
import { judgeCheckout, judgeRepository } from './repository/judge.ts';
import { recipeOf } from './recipes.ts';
import { judgeSteering } from './steering.ts';
import type { Argument, Reading } from './types.ts';
import { changedBy, linksOf, namesChanged, opensFiles } from './touched.ts';
import { judgeWalks } from './walks.ts';
import { projectAround } from '../trust/scope.ts';

/** What is known of a program with its arguments, and the arguments as they shall run. */
interface Classified extends Judgement {
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
  const settled = written.map((arg) => settledOption(arg, placeContext(surroundings, place.cwd)));
  const args = anchored(settled, { name: first, record: recordOf(first), anchor });
  const taken = names.map((name) => readingOf(name, args.map(asFile), place));
  const readings = taken.filter((one) => one !== null);
  const search = { surroundings, cwd: place.cwd, requestCwd: context.request.cwd };
  const isProgram: IsProgram = (word) =>
    word.length < 256 && findExecutable(word, search).kind === 'file';
  const guard = { cwd: place.cwd, surroundings, request: context.request };
  const walked = readings.map((reading) => judgeWalks(reading, { name: first, args, at: guard }));
  const findings: readonly Finding[] = [
    ...walked.map(({ finding }) => finding),
    ...readings.map((reading) => judge(reading, insideOf(context, place))),
    ...names.flatMap((name) => notFollowed(name, readings, args)),
    ...names
      .filter((name) => recordOf(name) === null)
      .map((name) =>
        judgeUnrecorded(name, args, { isProgram, isInside: insideOf(context, place) }),
      ),
    judgePatterns(names, args),
    judgeUnknownFolder(args, place.cwd),
    judgeUnknownWords(args, taken),
    judgeFirstLine(executable, context, search),
    ...byProgram(names, taken, args, at),
  ];
  const code = givenCode(findings, place.input ?? null, recordOf(first)?.shell !== undefined);
  const finding = code === null ? findings.reduce(strictest, open) : code.finding;
  // Whichever finding decides, what any of them says would run is held against the rules.
  const carried = [...findings, ...(code === null ? [] : [code.finding])].flatMap(
    (one) => one.carries ?? [],
  );
  const trusted = executable.kind === 'file' && executable.trusted;
  const found = finding.script ?? findings.find((one) => one.script !== undefined)?.script;
  const script = found === undefined ? null : realTarget(files, place.cwd, found);
  const carries = carried.flatMap((one) => carriedStages(one, context));
  const [reading] = readings;
  const isCodeRead = taken.every((one, nth) => one !== null && isRead(names[nth] ?? '', one));
  const { trust } = strictest(finding, worstOf(finding, carries));
  const read = findings.flatMap((one) => (one.files === undefined ? [] : [one.files]));
  return {
    args,
    trust,
    script,
    files: decidingFiles(
      { readings, args, trust, script, carries, read },
      { cwd: place.cwd, files },
    ),
    code: code?.text ?? textGiven(names, args.map(asFile), taken, place),
    isCodeRead: isCodeRead ? true : undefined,
    recipe: reading === undefined ? undefined : recipeOf(reading, args, { cwd: place.cwd, files }),
    carries,
    effects: reading === undefined ? null : stageEffects(reading, { cwd: place.cwd, files }),
    changes:
      !trusted || finding.trust.level === 'never'
        ? 'any'
        : mostTouched(names.map((name, index) => changedBy(name, taken[index] ?? null))),
    names: allOf(
      names.map((name, index) =>
        namesChanged(name, taken[index] ?? null, { cwd: place.cwd, files }),
      ),
    ),
    links: mostTouched(
      names.map((name, index) => linksOf(name, taken[index] ?? null, { cwd: place.cwd, files })),
    ),
    opens: names.some((name, index) => opensFiles(name, taken[index] ?? null)),
    guarded: [
      ...names.flatMap((name, index) => guardedUses(name, taken[index] ?? null, args, guard)),
      ...walked.flatMap((one) => one.guarded),
      ...carries.flatMap((inner) => inner.guarded),
    ],
  };
}

/**
 * `--include=*.ts`, or an address with a `?`, where no file has such a name: the shell hands the
 * pattern on as it stands, and is made to by quotes, whatever comes to lie there.
 */
function settledOption(arg: RenderedArgument, context: PlaceContext): RenderedArgument {
  if (arg.live !== 'pattern' || !(anOption.test(arg.text) || anAddress.test(arg.text))) return arg;
  if (anAddress.test(arg.text)) {
    const { machine, cwd } = context;
    const folder = cwd === null ? null : `${cwd}/${arg.text.split('/', 1)[0] ?? ''}`;
    const isNowhere = folder !== null && machine.files?.facts(folder) === null;
    return isNowhere && !machine.files.isLink(folder) ? literal(arg.text) : arg;
  }
  const listed = listedMatches(arg.text, context);
  return listed?.whole === true && listed.paths.length === 0 ? literal(arg.text) : arg;
}

const anOption = /^--[a-z][a-z-]*=[\w.*/-]+$/;
const anAddress =
  /^(?:https?:\/\/[\w.:[\]-]+|localhost(?::\d+)?|127\.0\.0\.1(?::\d+)?)\/[\w./?=%,:~+-]*$/;

function anchor({ text, live, render }: RenderedArgument): RenderedArgument {
  return { text: `./${text}`, live, render: `./${render}` };
}

/**
 * Here a program that is looked through was not: its options are not understood, or the file is not
 * the system's. Only what starts nothing (`env`, `timeout --help`) is left to its record.
 */
function notFollowed(
  name: string,
  readings: readonly Reading[],
  args: readonly Argument[],
): readonly Finding[] {
  if (passesOnOf(name) === null || args.length === 0) return [];
  if (readings.length > 0 && readings.every((one) => judge(one).trust.level === 'open')) return [];
  return [never(`${name} is called in a way that is not followed`, carriedGuesses(args))];
}

/** Below the folder of the stage, or one that agents work in, with links followed. */
function insideOf({ surroundings }: PlanContext, { cwd }: Place): IsInside {
  const { files, workspaces } = surroundings;
  return (path, base) => {
    if (path === '/dev/null') return true;
    const written = writtenPath(base === undefined ? { path } : { path, base });
    if (!written.startsWith('/')) {
      if (!staysBelow(path, base)) return false;
      // A name alone tells it where nothing can be looked up.
      if (cwd === null) return true;
    }
    const real = futureTarget(files, cwd, written);
    return real !== null && [cwd, ...workspaces].some((one) => one !== null && isBelow(real, one));
  };
}

/** Whether a folder lies outside of the project in which the command was asked for. */
function leftProject(cwd: string, { surroundings, request }: PlanContext): boolean {
  if (isBelow(cwd, request.cwd)) return false;
  const { files, home } = surroundings;
  return !isBelow(cwd, projectAround(request.cwd, files.realPath(home) ?? home, files));
}

/** `<(…)` is a file that is read like any other. */
function asFile(arg: RenderedArgument): Argument {
  return arg.live === 'process' ? { text: arg.text, live: null } : arg;
}

/**
 * What a command prints is one word that nobody knows: an option, a path, an address, code. It is
 * taken only where each reading knows it as a text that does nothing, and as no option: the value of
 * an option, or an operand behind `--` or behind a first letter. A file of it is only ever read.
 */
function judgeUnknownWords(args: readonly Argument[], read: readonly (Reading | null)[]): Finding {
  const unknown = args.flatMap(({ live }, at) =>
    live === 'output' || live === 'process' ? [at] : [],
  );
  const fits = unknown.every((at) =>
    read.every((reading) =>
      reading !== null && args[at]?.live === 'process'
        ? isOnlyRead(reading, at)
        : reading !== null && isInertText(reading, at, args),
    ),
  );
  return fits ? open : never('what another command prints becomes one of its arguments');
}

function isOnlyRead({ effects, doubts, operands }: Reading, at: number): boolean {
  const own = effects.filter((effect) => effect.word === at);
  return (
    operands.some((operand) => operand.word === at) &&
    own.length > 0 &&
    own.every((effect) => effect.kind === 'path' && effect.use === 'reads' && !effect.runs) &&
    effects.every((effect) => effect.kind === 'path' && effect.use === 'reads') &&
    doubts.length === 0
  );
}

function isInertText(
  { effects, doubts, options, operands, grammar }: Reading,
  at: number,
  args: readonly Argument[],
): boolean {
  if (effects.some(({ word }) => word === at) || doubts.length > 0) return false;
  const option = options.find(({ valueWord, value }) => valueWord === at && value !== null);
  if (option !== undefined)
    return option.use.kind === 'inert' && option.use.parse === undefined && !option.negated;
  const index = operands.findIndex(({ word }) => word === at);
  const places = grammar?.operands;
  if (index === -1 || places === undefined) return false;
  const use = useAt(places, index, operands.length);
  const ended = args.findIndex(({ text, live }) => live === null && text === '--');
  const isOperand = (ended !== -1 && ended < at) || /^[A-Za-z0-9_./]/.test(args[at]?.text ?? '');
  return isOperand && use?.kind === 'inert' && use.parse === undefined && use.level === undefined;
}

/** What depends on more than the arguments: the folder, the repository, places, variables. */
function byProgram(
  names: readonly string[],
  read: readonly (Reading | null)[],
  args: readonly Argument[],
  { context, place }: { context: PlanContext; place: Place },
): readonly Finding[] {
  const { surroundings } = context;
  const found: Finding[] = [];
  const { cwd } = place;
  const isInside = insideOf(context, place);
  const isElsewhere = cwd !== null && leftProject(cwd, context);
  const where = { cwd, isElsewhere, surroundings };
  for (const [index, name] of names.entries()) {
    const reading = read[index] ?? null;
    if (recordOf(name)?.project !== undefined) found.push(judgeReach(args, name, isInside));
    found.push(judgeVariables(name, place.assignments));
    found.push(judgeNamed(name, place.assignments, where));
    found.push(judgeImports(name, args, place.assignments));
    found.push(
      judgeSteering(name, args, reading, {
        cwd,
        home: surroundings.home,
        files: surroundings.files,
      }),
    );
    if (!isSure(reading)) found.push(judgeWords(args, name, where));
    if (reading === null) continue;
    const changed = [context.changed, ...context.marks.map((one) => one.changes)];
    if (isRead(name, reading))
      found.push(
        judgeShadows(name, cwd, { files: surroundings.files, changed: changed.includes('any') }),
      );
    found.push(judgeEffects(reading, where));
    found.push(
      judgeComposeFile(reading, {
        ...surroundings,
        cwd,
        isInside,
        changed: changed.some((one) => one !== 'none'),
      }),
    );
  }

  for (const reading of read)
    if (reading?.program === 'git' && usesRepository(reading)) {
      const directory = gitDirectory(reading, place.cwd);
      const { files, home } = surroundings;
      found.push(judgeRepository(directory, files, context.stages));
      found.push(judgeCheckout(reading, directory, files));
      found.push(judgeShownSettings(reading, { directory, home, files }));
    }
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
  const family = (path: string): string => {
    const name = programName(path, platform);
    const record = recordOf(name);
    return record === null || record.names.includes(name) ? name : (record.names[0] ?? name);
  };
  if (executable.kind !== 'file') return [family(executable.name)];
  const called = family(executable.path);
  const real = family(executable.realPath);
  const as = recordOf(real)?.calledAs ?? [];
  const isTold = as === true || as.includes(called);
  return called === real || isTold ? [called] : [called, real];
}

function carriedStages(carried: Carried, context: PlanContext) {
  if (carried.kind === 'text') return outlineText(carried.text, context);
  return outlineArguments(carried.words, context);
}

/** The paths of each; null where one does not tell them all. */
function allOf(lists: readonly (readonly string[] | null)[]): readonly string[] | null {
  return lists.some((list) => list === null) ? null : lists.flatMap((list) => list ?? []);
}
