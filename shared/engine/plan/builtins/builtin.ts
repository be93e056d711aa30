import { quoteWord } from '../../parse/shell-quote.ts';
import { opaque } from '../../parse/syntax.ts';
import { planExport, planRead } from '../assign.ts';
import type { RenderedArgument } from '../expand.ts';
import { realTarget } from '../paths.ts';
import { ended, lookupAt, unchanged } from '../shell-state.ts';
import type { Flow, Place, PlanContext, Rendered } from '../shell-state.ts';
import { doesNothing, pushStage } from '../stage.ts';
import type { OpaqueReason } from '../types.ts';
import { builtinNames, declaring } from './names.ts';
import { planEcho, planPrintf } from './output.ts';
import {
  isPlainSet,
  isSafeExit,
  isOwnJob,
  isOwnProcess,
  isSafeKill,
  isSafeLookup,
  planTest,
} from './test.ts';

/**
 * `cd`, with or without a directory. The directory is known when it exists now and no program ran
 * before it that could have put something else in its place; the rendering then names its real
 * path. Otherwise what follows stands in an unknown place.
 */
function planCd(
  args: readonly RenderedArgument[],
  context: PlanContext,
  at: BuiltinPlace,
): SafeBuiltin | null {
  const operands = args[0]?.text === '--' ? args.slice(1) : args;
  const [operand] = operands;
  if (operands.length > 1 || (operand !== undefined && operand.live !== null)) return null;
  const { place } = at;
  if (operand?.text === '-' && args.length === 1) return back('cd -', place);
  const path = operand?.text ?? lookupAt(context, place)('HOME');
  if (typeof path !== 'string' || path === '' || path.startsWith('-')) return null;
  const { files } = context.surroundings;
  const real = realTarget(files, place.cwd, path);
  const exists = real !== null && files.facts(real)?.kind === 'directory';
  const { cwd, variables } = place;
  const failed = { cwd, variables };
  if (!exists || context.changed === 'any') {
    // CDPATH must not lead a relative name elsewhere.
    const written = path.startsWith('/') || path.startsWith('.') ? path : `./${path}`;
    return { text: `cd ${quoteWord(written)}`, flow: { ok: { cwd: null, variables }, failed } };
  }
  if (at.guarded)
    return {
      text: `{ cd ${quoteWord(real)} || exit; }`,
      flow: { ok: { cwd: real, variables }, failed: undefined },
    };
  return { text: `cd ${quoteWord(real)}`, flow: { ok: { cwd: real, variables }, failed } };
}

/** Back to a folder that is not kept count of: what follows stands in an unknown place. */
function back(text: string, { cwd, variables }: Place): SafeBuiltin {
  return { text, flow: { ok: { cwd: null, variables }, failed: { cwd, variables } } };
}

/** `pushd DIR` goes there as `cd` does, and prints; only bash has it. */
function planPushd(
  args: readonly RenderedArgument[],
  context: PlanContext,
  at: BuiltinPlace,
): SafeBuiltin | null {
  const [operand] = args;
  if (!hasStack(context, at) || operand === undefined || /^[-+]/.test(operand.text)) return null;
  const planned = planCd(args, context, at);
  return planned === null
    ? null
    : { ...planned, text: planned.text.replace(/^(\{ )?cd /, '$1pushd ') };
}

function hasStack({ surroundings }: PlanContext, { place }: BuiltinPlace): boolean {
  return place.dialect === 'bash' && surroundings.shell.endsWith('bash');
}

interface BuiltinPlace {
  readonly place: Place;
  /** A failing `cd` here must end the command, since what follows relies on it. */
  readonly guarded: boolean;
  /** Assignments stand before the command. */
  readonly assigned: boolean;
}

interface PlannedBuiltin extends Rendered {
  readonly flow: Flow;
}

/**
 * Plans a command that the shell runs itself, or null when the name is no builtin. Each safe
 * builtin is written so that bash and dash do the same: `echo` becomes `printf`, `==` becomes `=`.
 */
export function planBuiltin(
  words: readonly RenderedArgument[],
  context: PlanContext,
  at: BuiltinPlace,
): PlannedBuiltin | null {
  const name = words[0]?.text ?? '';
  if (name.startsWith('%'))
    throw refused(
      'builtin',
      'bash takes a name that begins with % for a job of its own.',
      at.place,
    );
  if (!builtinNames.has(name)) return null;
  if (at.assigned && name !== 'echo' && name !== 'printf')
    throw refused('assignment', `A variable is set for the builtin \`${name}\`.`, at.place);
  const through = planThrough(name, words, context, at);
  if (through !== null) return through;
  const planned = planSafe(name, words, context, at);
  if (planned === null) {
    if (name === 'alias' || name === 'unalias')
      throw refused('alias', 'The meaning of later commands is changed.', at.place);
    if (declaring.has(name))
      throw refused('assignment', 'A variable is set for later commands.', at.place);
    throw refused(
      'builtin',
      `\`${name}\` is done by the shell itself, in a way that is not followed.`,
      at.place,
    );
  }
  if (planned === 'file') return null;
  const executable = { kind: 'builtin', name } as const;
  const trust = { level: 'open' } as const;
  pushStage(context, at.place, { words, executable, trust, ...doesNothing });
  const flow = planned.flow ?? unchanged(at.place);
  return { text: planned.text, argv: null, flow };
}

/** What a safe builtin is written as; `flow` where it moves. */
export interface SafeBuiltin {
  readonly text: string;
  readonly flow?: Flow;
}

/** Null when the builtin is not understood, `file` when a program takes its place. */
function planSafe(
  name: string,
  words: readonly RenderedArgument[],
  context: PlanContext,
  at: BuiltinPlace,
): SafeBuiltin | 'file' | null {
  const args = words.slice(1);
  const { shell } = context.surroundings;
  const rest = args.map((arg) => ` ${arg.render}`).join('');
  switch (name) {
    case ':':
    case 'true':
    case 'false':
      return { text: name + rest };
    case 'pwd':
      return args.length === 0 ? { text: name } : null;
    case 'cd':
      return planCd(args, context, at);
    case 'pushd':
      return planPushd(args, context, at);
    case 'popd':
      return args.length === 0 && hasStack(context, at) ? back(name, at.place) : null;
    case 'echo':
      return planEcho(args, at.place.dialect);
    case 'printf':
      return planPrintf(args);
    case 'test':
    case '[':
      return planTest(name, args);
    case 'break':
    case 'continue':
      return planLeave(name, args, at.place);
    case 'wait':
      return args.length === 0 || isOwnProcess(args, at.place.variables)
        ? { text: name + rest }
        : null;
    case 'jobs':
      return args.length === 0 ? { text: name } : null;
    case 'read':
      return planRead(args, context, at.place);
    case 'export':
      return planExport(args, at.place);
    case 'exit':
      return isSafeExit(args) ? { text: name + rest, flow: ended } : null;
    case 'set':
      return isPlainSet(args, at.place.dialect === 'bash' && shell.endsWith('bash'))
        ? { text: name + rest }
        : null;
    case 'type':
      return isSafeLookup(/^-[apt]$/.test(args[0]?.text ?? '') ? args.slice(1) : args)
        ? { text: name + rest }
        : null;
    case 'command':
      return args[0]?.text === '-v' && isSafeLookup(args.slice(1)) ? { text: name + rest } : null;
    case 'kill':
      if (isOwnJob(args) || isOwnProcess(args, at.place.variables)) return { text: name + rest };
      return isSafeKill(args) ? 'file' : null;
    default:
      return null;
  }
}

/** `break` and `continue` in the shell of the loop itself, without a count. */
function planLeave(
  name: 'break' | 'continue',
  args: readonly RenderedArgument[],
  { loop, cwd, variables }: Place,
): SafeBuiltin | null {
  if (loop === null || args.length > 0) return null;
  const states = name === 'break' ? loop.left : loop.skipped;
  states.push({ cwd, variables });
  return { text: name === 'break' ? loop.leave : name, flow: ended };
}

/** `command NAME …` and `exec NAME …`, which run what follows. */
function planThrough(
  name: string,
  words: readonly RenderedArgument[],
  context: PlanContext,
  at: BuiltinPlace,
): PlannedBuiltin | null {
  const next = words[1];
  if (next === undefined || next.text.startsWith('-')) return null;
  if (name !== 'command' && name !== 'exec') return null;
  if (next.live !== null)
    throw refused('dynamic-executable', 'The name of the program is not written out.', at.place);
  const wrapper = {
    label: name,
    executable: { kind: 'builtin', name } as const,
    argv: words.map((one) => one.text),
  };
  const place: Place = { ...at.place, wrappers: [...at.place.wrappers, wrapper] };
  const inner = words.slice(1);
  if (name === 'command') {
    const builtin = planBuiltin(inner, context, { ...at, place });
    return (
      builtin ?? {
        ...context.planProgram(inner, context, { place, by: 'program' }),
        flow: unchanged(at.place),
      }
    );
  }
  const program = context.planProgram(inner, context, { place, by: 'program' });
  return { text: `exec ${program.text}`, argv: program.argv, flow: ended };
}

function refused(reason: OpaqueReason, why: string, { span }: Place): Error {
  return opaque(reason, why, span?.start, span?.end);
}
