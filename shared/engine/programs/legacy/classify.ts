import { outlineArgv, outlineText } from '../../plan/outline.ts';
import type { PlanContext, Place } from '../../plan/shell-state.ts';
import type { Argument } from '../../plan/expand.ts';
import type { Judgement } from '../../plan/stage.ts';
import {
  findExecutable,
  isWhereAgentsWrite,
  programName,
  type Search,
} from '../../plan/executable.ts';
import { realTarget } from '../../plan/paths.ts';
import type { Executable, Stage } from '../../plan/types.ts';
import { transparentPrograms } from '../../plan/wrappers.ts';
import { linkMakers, readers } from './effects.ts';
import { familyOf, judgeOf } from './families.ts';
import { judgeMakeVariables } from './files.ts';
import {
  carriedGuesses,
  never,
  open,
  strictest,
  type Carried,
  type Finding,
  type Judge,
} from './judge.ts';
import { gitDirectory, usesRepository } from './git.ts';
import { judgeRepository } from './repository/judge.ts';
import { guardedOperands } from './writes/guarded.ts';
import { judgeWrites } from './writes/judge.ts';
import { plainPrograms } from './plain.ts';
import {
  judgeReach,
  judgeStarting,
  judgeUnknown,
  projectTools,
  type IsProgram,
} from './project-tools.ts';

/** Programs that are told what to be by the name they are called by. */
const multiCall: ReadonlySet<string> = new Set(['busybox', 'toybox', 'coreutils']);

/** How far a rule may trust a program with these arguments, and what it would run. */
export function classify(
  words: readonly Argument[],
  executable: Executable,
  at: { context: PlanContext; place: Place },
): Judgement {
  const { context, place } = at;
  const { platform, files } = context.surroundings;
  const names = namesOf(executable, platform);
  const args = words.slice(1);
  const search = {
    surroundings: context.surroundings,
    cwd: place.cwd,
    requestCwd: context.request.cwd,
  };
  const isProgram: IsProgram = (word) =>
    word.length < 256 && findExecutable(word, search).kind === 'file';
  let finding: Finding = open;
  for (const name of names) {
    const judge = judgeOf(name) ?? fallback(name, isProgram);
    if (judge !== null) finding = strictest(finding, judge(args, name));
    // Here it is not looked through: its options are not understood, or the file is not the system's.
    else if (transparentPrograms.has(name) && args.length > 0)
      finding = strictest(
        finding,
        never(`${name} is called in a way that is not followed`, carriedGuesses(args)),
      );
  }
  finding = strictest(finding, judgeFirstLine(executable, search));
  for (const name of names)
    if (projectTools.has(name)) finding = strictest(finding, judgeReach(args, name, place.cwd));
  if (names.some((name) => name === 'make' || name === 'gmake'))
    finding = strictest(finding, judgeMakeVariables(place.assignments));
  if (names.includes('git') && usesRepository(args))
    finding = strictest(
      finding,
      judgeRepository(gitDirectory(args, place.cwd), files, context.stages),
    );
  for (const name of names)
    finding = strictest(
      finding,
      judgeWrites(args, name, { cwd: place.cwd, surroundings: context.surroundings }),
    );
  const trusted = executable.kind === 'file' && executable.trusted;
  const script = finding.script === undefined ? null : realTarget(files, place.cwd, finding.script);
  const carries = (finding.carries ?? []).flatMap((one) => carriedStages(one, context));
  return {
    trust: strictest(finding, worstOf(finding, carries)).trust,
    script,
    carries,
    changes: !(trusted && names.every((name) => readers.has(name))),
    links: names.some((name) => linkMakers.has(name)),
    guarded: [
      ...names.flatMap((name) =>
        guardedOperands(args, name, {
          cwd: place.cwd,
          surroundings: context.surroundings,
          request: context.request,
        }),
      ),
      ...carries.flatMap((inner) => inner.guarded),
    ],
  };
}

/** The hash of a script says nothing of an interpreter that lies where agents write. */
function judgeFirstLine(executable: Executable, search: Search): Finding {
  if (executable.kind !== 'file' || executable.interpreter === null) return open;
  const { interpreter } = executable;
  return !interpreter.startsWith('/') || isWhereAgentsWrite(interpreter, search)
    ? never('the interpreter in its first line is not certain, or lies where agents write')
    : open;
}

/** For programs without a table of their own; those that only read, and those looked through, need none. */
function fallback(name: string, isProgram: IsProgram): Judge | null {
  if (projectTools.has(name)) return judgeStarting;
  const known = readers.has(name) || plainPrograms.has(name) || transparentPrograms.has(name);
  return known ? null : judgeUnknown(isProgram);
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
  return outlineArgv(carried.words, context);
}
