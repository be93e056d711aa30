import { guardedMentions } from '../places/context.ts';
import { unsafeValue } from './environment.ts';
import type { GrammarParser } from '../parse/grammar.ts';
import { outlineArgv, outlineText } from './outline.ts';
import { forbiddenCharacter } from '../parse/source.ts';
import { confirmReading } from '../parse/grammar.ts';
import { Opaque, opaque } from '../parse/syntax.ts';
import { readCommand } from '../parse/read.ts';
import type { PlanContext, Place } from './shell-state.ts';
import { literal } from './expand.ts';
import { planList } from './commands.ts';
import { planProgram } from './commands.ts';
import { noVariables } from './shell-state.ts';
import type { Analysis, CommandRequest, Execution, Plan, Stage, Surroundings } from './types.ts';

/** Longest text that is read, in UTF-16 units. */
const longestText = 64 * 1024;

/** Turns commands into plans. Keeps nothing between calls. */
export interface Analyser {
  /**
   * What a command would run, or why that cannot be known. Never throws and never hangs: work grows
   * linearly with the length of the text, which is bounded (`too-long`), as is nesting (`too-deep`).
   */
  analyse(request: CommandRequest, surroundings: Surroundings): Analysis;
}

/** An analyser that holds each reading of a text against the tree that `parser` makes of it. */
export function createAnalyser(parser: GrammarParser): Analyser {
  return {
    analyse(request, surroundings) {
      const context: PlanContext = {
        surroundings,
        request,
        parser,
        planProgram,
        planList,
        stages: [],
        bodies: [],
        brought: false,
        marks: [],
        background: { seen: 0, ends: [], marks: [] },
        loops: { depth: 0 },
        outline: { left: 200, depth: 0 },
        changed: 'none',
        linked: 'none',
      };
      try {
        refuseEnvironment(request);
        return { ok: true, plan: planInFull(context) };
      } catch (error) {
        return failed(error, context);
      }
    },
  };
}

function placeOf(request: CommandRequest): Place {
  const assignments = Object.entries(request.env ?? {}).map(([name, value]) => ({ name, value }));
  return {
    cwd: request.cwd,
    variables: noVariables,
    wrappers: [],
    assignments,
    writes: [],
    reads: [],
    dialect: 'bash',
    loop: null,
    span: null,
  };
}

/** Variables of the request pass the same filter as those in the text. */
function refuseEnvironment(request: CommandRequest): void {
  for (const [name, value] of Object.entries(request.env ?? {})) {
    const why = /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)
      ? unsafeValue(name, value, request.cwd)
      : 'is not a name of a variable';
    if (why !== null) throw opaque('unsafe-environment', `The request sets ${name}, which ${why}.`);
    if (value.includes('\0'))
      throw opaque('control-character', `The value of ${name} holds a NUL.`);
  }
}

/** Plans once more where something runs in the background, knowing what runs beside it. */
function planInFull(context: PlanContext): Plan {
  const plan = planRequest(context);
  const { background } = context;
  if (background.seen === 0) return plan;
  background.seen = 0;
  background.marks = context.marks.slice(0, context.stages.length);
  context.stages.length = 0;
  context.bodies = [];
  context.changed = 'none';
  context.linked = 'none';
  return planRequest(context);
}

function planRequest(context: PlanContext): Plan {
  const { argv, command } = context.request;
  if ((argv === undefined) === (command === undefined))
    throw opaque('syntax-error', 'A request carries either words or a text.');
  return argv === undefined ? planText(command ?? '', context) : planArgv(argv, context);
}

function planText(text: string, context: PlanContext): Plan {
  if (text.length > longestText)
    throw opaque('too-long', `The command is longer than ${longestText} characters.`);
  const forbidden = forbiddenCharacter(text);
  if (forbidden !== null) throw forbidden;
  const list = readCommand(text);
  if (list.length === 0) throw opaque('syntax-error', 'The command is empty.');
  confirmReading(context.parser, text, list);
  const { text: line, argv } = planList(list, context, {
    ...placeOf(context.request),
    assignments: [],
  });
  const canonical = context.bodies.length === 0 ? line : `${line}\n${context.bodies.join('')}`;
  const [file] = argv ?? [];
  const execution: Execution =
    argv !== null && file?.startsWith('/') === true
      ? { kind: 'argv', file, argv }
      : { kind: 'shell', text: canonical };
  return { stages: context.stages, canonical, execution };
}

function planArgv(argv: readonly string[], context: PlanContext): Plan {
  const length = argv.reduce((sum, word) => sum + word.length + 1, 0);
  if (length > longestText)
    throw opaque('too-long', `The command is longer than ${longestText} characters.`);
  if (argv.length === 0 || argv[0] === '') throw opaque('syntax-error', 'The command is empty.');
  if (argv.some((word) => word.includes('\0') || /\p{Surrogate}/u.test(word)))
    throw opaque('control-character', 'A word holds a character that no program can be given.');
  const place = { ...placeOf(context.request), assignments: [] };
  const planned = planProgram(argv.map(literal), context, { place, by: 'program' });
  // Without a shell there is nothing to expand, so an argument vector always exists.
  const [file = '', ...rest] = planned.argv ?? argv;
  return {
    stages: context.stages,
    canonical: planned.text,
    execution: { kind: 'argv', file, argv: [file, ...rest] },
  };
}

function failed(error: unknown, context: PlanContext): Analysis {
  const known = error instanceof Opaque;
  return {
    ok: false,
    reason: known ? error.reason : 'unsupported-syntax',
    detail: known ? error.message : 'The command could not be understood.',
    span: known && context.request.command !== undefined ? error.span : null,
    stages: outline(context),
    guarded: guardedMentions(context.request, context.surroundings),
  };
}

function outline(context: PlanContext): readonly Stage[] {
  const { argv, command } = context.request;
  try {
    if (argv !== undefined) return outlineArgv(argv, context);
    return command === undefined || command.length > longestText
      ? []
      : outlineText(command, context);
  } catch {
    return [];
  }
}
