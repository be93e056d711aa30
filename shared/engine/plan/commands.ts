import { confirmReading } from '../parse/grammar.ts';
import { readCommand } from '../parse/read.ts';
import { quoteWord } from '../parse/shell-quote.ts';
import { opaque } from '../parse/syntax.ts';
import type { Command, CommandList, Pipeline, SimpleCommand } from '../parse/syntax.ts';
import { classify } from '../programs/classify.ts';
import { fedBy, takesNames } from '../programs/fed.ts';
import { bringsFromElsewhere, isGivenInput, trustOnFed, trustOnInput } from '../programs/input.ts';
import { recordNamed } from '../programs/list.ts';
import type { ShellCall } from '../programs/traits.ts';
import { planAssignments, planPrefixes } from './assign.ts';
import type { Touched } from '../programs/types.ts';
import { planBuiltin } from './builtins/builtin.ts';
import { planCompound } from './control.ts';
import { unsafeValue } from './environment.ts';
import { findExecutable, programName, whyUnlocated } from './executable.ts';
import { expandWord, literal, refuseStaleStatus, type RenderedArgument } from './expand.ts';
import { nameOf } from './paths.ts';
import { loopOver } from './listed-loop.ts';
import { planRedirects, renderRedirects, takesPipe } from './redirects.ts';
import {
  changedBefore,
  deepestWrapping,
  inherited,
  known,
  lookupAt,
  merge,
  mostTouched,
  settings,
  unchanged,
  whereabouts,
  withVariable,
} from './shell-state.ts';
import type { Flow, Place, PlanContext, Planned, Rendered, State } from './shell-state.ts';
import type { ProgramPlace } from './shell-state.ts';
import { judgeBeside, pushStage } from './stage.ts';
import type { Executable, Stage, Wrapper } from './types.ts';
import { readTransparent } from './wrappers.ts';

/** Plans a program that is a file: looks through transparent wrappers, classifies any other. */
export function planProgram(
  words: readonly RenderedArgument[],
  context: PlanContext,
  at: ProgramPlace,
): Rendered {
  const { place } = at;
  const [first] = words;
  if (first === undefined || first.live !== null)
    throw opaque('dynamic-executable', 'The name of a program is not written out.');
  if (place.wrappers.length > deepestWrapping)
    throw opaque('too-deep', 'Wrappers are nested too deeply.', place.span?.start, place.span?.end);
  const { surroundings, request } = context;
  const search = { surroundings, cwd: place.cwd, requestCwd: request.cwd };
  const executable = findExecutable(first.text, search);
  // An outline only shows what may run; it does not say that anything is missing.
  const planned = executable.kind === 'missing' && context.outline.depth === 0;
  const unlocated = planned ? whyUnlocated(first.text, search) : null;
  if (unlocated !== null)
    throw opaque(
      'dynamic-executable',
      `Which program ${first.text} is cannot be known: ${unlocated}.`,
      place.span?.start,
      place.span?.end,
    );
  if (executable.kind === 'file' && executable.trusted) {
    const program = programName(executable.realPath, surroundings.platform);
    const written = programName(executable.path, surroundings.platform);
    const read = recordNamed(program)?.shell?.read ?? recordNamed(written)?.shell?.read;
    const call = read?.(words) ?? null;
    if (call !== null) return planShellText(call, context, { ...at, words, executable });
    const inner = readTransparent(program, words);
    if (inner !== null) {
      for (const { name, value } of inner.assignments) {
        const why = unsafeValue(name, value, place.cwd);
        if (why !== null) throw opaque('unsafe-environment', `${name} is set, which ${why}.`);
      }
      const wrapper: Wrapper = { label: program, executable, argv: words.map((one) => one.text) };
      const rendered = planProgram(words.slice(inner.start), context, {
        by: 'program',
        place: {
          ...place,
          wrappers: [...place.wrappers, wrapper],
          assignments: [...place.assignments, ...inner.assignments],
          variables: inner.assignments.reduce(
            (all, { name, value }) => withVariable(all, name, known(value, true)),
            place.variables,
          ),
        },
      });
      return render([literal(executable.path), ...words.slice(1, inner.start)], rendered);
    }
  }
  const { args, ...judged } = classify(words.slice(1), executable, { context, place });
  pushStage(context, place, { words: [first, ...args], executable, ...judged });
  const file = executable.kind === 'file' ? executable.path : first.text;
  return render([literal(file), ...args], null);
}

/** Words in front of an inner command, or a whole command where there is none. */
function render(words: readonly RenderedArgument[], inner: Rendered | null): Rendered {
  const text = words.map((word) => word.render).join(' ');
  const live = words.some((word) => word.live !== null);
  const own = live ? null : words.map((word) => word.text);
  if (inner === null) return { text, argv: own };
  return {
    text: `${text} ${inner.text}`,
    argv: own === null || inner.argv === null ? null : [...own, ...inner.argv],
  };
}

/** The text that a shell is given is planned in its place. */
function planShellText(
  call: ShellCall,
  context: PlanContext,
  at: ProgramPlace & { words: readonly RenderedArgument[]; executable: Executable },
): Rendered {
  const { place, words, executable } = at;
  const { surroundings } = context;
  const label = `${words[0]?.text ?? ''} -c`;
  const span = place.span ?? undefined;
  const wrapper: Wrapper = { label, executable, argv: words.map((one) => one.text) };
  const named = executable.kind === 'file' ? executable : null;
  const traits = recordNamed(nameOf(named?.realPath ?? ''))?.shell;
  const dialect = traits?.dialect ?? 'bash';
  const shell = traits?.portable === true && named !== null ? named.path : surroundings.shell;
  if (call.needsBash && (dialect === 'posix' || !surroundings.shell.endsWith('bash')))
    throw opaque(
      'unsupported-syntax',
      'An option needs bash, which is not here.',
      span?.start,
      span?.end,
    );
  const list = readCommand(call.text, dialect);
  confirmReading(context.parser, call.text, list);
  if (list.length === 0)
    throw opaque('syntax-error', 'A shell is given nothing to run.', span?.start, span?.end);
  const before = context.bodies;
  context.bodies = [];
  const inner = planList(list, context, {
    ...place,
    variables: inherited(place.variables),
    wrappers: [...place.wrappers, wrapper],
    input: null, // the first command to read may take all of it
    loop: null,
    dialect,
    span: place.span ?? { start: 0, end: 0 },
  });
  const bodies = context.bodies.join('');
  context.bodies = before;
  if (inner.argv !== null && call.settings === '')
    return { text: inner.argv.map(quoteWord).join(' '), argv: inner.argv };
  const line = call.settings === '' ? inner.text : `${call.settings}; ${inner.text}`;
  const script = bodies === '' ? line : `${line}\n${bodies}`;
  // Bash runs ~/.bashrc when its input is a socket, even with -c.
  const real = shell === named?.path ? named.realPath : shell;
  const quiet = nameOf(real) === 'bash' ? [literal('--norc')] : [];
  return render([literal(shell), ...quiet, literal('-c'), literal(script)], null);
}

/** At most this many words in one command. */
const mostWords = 4096;

/** Plans a simple command: assignments, words, redirections. */
function planSimple(
  command: SimpleCommand,
  context: PlanContext,
  at: { place: Place; guarded: boolean },
): Planned {
  const { place } = at;
  refuseStaleStatus(command);
  const lookup = lookupAt(context, place);
  const words: RenderedArgument[] = [];
  for (const word of command.words) {
    // Whatever the words are, it only prints them.
    const unknownValues = words[0]?.text === 'echo' && words[0].live === null;
    words.push(...expandWord(word, lookup, { unknownValues }));
    if (words.length > mostWords)
      throw opaque('too-long', 'The command has too many words.', command.start, command.end);
  }
  if (words.length === 0) {
    if (command.assignments.length > 0 && command.words.length > 0)
      throw opaque('assignment', 'A variable is set for nothing.', command.start, command.end);
    if (command.assignments.length > 0) return planAssignments(command, context, place);
    // A redirection alone creates or empties a file. The plan shows it as `:`, which does no more.
    words.push(literal(':'));
  }
  const { assignments, variables, prefix } = planPrefixes(command, words, context, place);
  if (words[0]?.live !== null)
    throw opaque(
      'dynamic-executable',
      'The name of the program is not written out.',
      command.start,
      command.end,
    );
  const redirects = planRedirects(command.redirects, context, place);
  const inner: Place = {
    ...place,
    writes: [...place.writes, ...redirects.writes],
    reads: [...place.reads, ...redirects.reads],
    input: redirects.input,
    assignments: settings(variables),
    span: place.span ?? { start: command.start, end: command.end },
  };
  const builtin = planBuiltin(words, context, {
    // What stands before a builtin ends with it; the others keep it to themselves anyway.
    place: { ...inner, variables: place.variables },
    guarded: at.guarded,
    assigned: assignments.length > 0,
  });
  const { text, argv } =
    builtin ??
    planProgram(words, context, {
      place: { ...inner, variables },
      by: assignments.length > 0 ? 'program' : 'shell',
    });
  const rest = renderRedirects(redirects, context);
  return {
    text: command.words.length === 0 ? rest.trimStart() : prefix + text + rest,
    argv: prefix === '' && redirects.parts.length === 0 ? argv : null,
    flow: builtin?.flow ?? unchanged(place),
  };
}

/** Plans a list in order, following what the shell remembers along every way through it. */
export function planList(list: CommandList, context: PlanContext, place: Place): Planned {
  let flow: Flow = unchanged(place);
  let joiner = ';';
  let text = '';
  let argv: readonly string[] | null = null;
  let beside: Beside | null = null;
  list.forEach((item, index) => {
    const last = index === list.length - 1;
    const entry: State =
      joiner === '&&' ? flow.ok : joiner === '||' ? flow.failed : merge(flow.ok, flow.failed);
    if (joiner === ';' && isInBackground(list, index)) {
      beside = leaveBeside(context, entry);
      text += '{ ';
    }
    const guarded = item.joiner === ';' && !last;
    const planned = planPipeline(item.pipeline, context, {
      place: {
        ...place,
        ...(entry ?? { cwd: null }),
        ...(beside === null ? {} : { loop: null }),
      },
      guarded,
    });
    flow = follow(joiner, flow, planned.flow);
    joiner = item.joiner;
    argv = list.length === 1 ? planned.argv : null;
    text += planned.text;
    if (item.joiner === '&') {
      flow = { ok: beside?.state, failed: undefined };
      if (beside !== null) comeBack(context, beside);
      beside = null;
      joiner = ';';
      argv = null;
      text += ' & }';
    }
    if (!last) text += joiner === ';' ? '; ' : ` ${joiner} `;
  });
  return { text, argv, flow };
}

/** What `&&` and `||` join from here on ends in `&`. */
function isInBackground(list: CommandList, from: number): boolean {
  const end = list.slice(from).find(({ joiner }) => joiner === ';' || joiner === '&');
  return end?.joiner === '&';
}

/** What was known where a part of the command went on beside the others. */
interface Beside {
  readonly state: State;
  readonly changed: Touched;
  readonly linked: Touched;
  readonly stage: number;
  readonly at: number;
}

/**
 * What runs in the background may still be about to start when later parts change files, so it is
 * judged as if it came behind them: a first look notes what they change.
 */
function leaveBeside(context: PlanContext, state: State): Beside {
  const { background, changed, linked } = context;
  const at = background.seen++;
  const later = background.ends[at];
  if (later !== undefined) {
    const beside = background.marks.slice(later);
    context.changed = mostTouched([changed, ...beside.map((mark) => mark.changes)]);
    context.linked = mostTouched([linked, ...beside.map((mark) => mark.links)]);
  }
  return { state, changed, linked, stage: context.stages.length, at };
}

function comeBack(context: PlanContext, { changed, linked, stage, at }: Beside): void {
  const own = context.marks.slice(stage, context.stages.length);
  context.background.ends[at] = context.stages.length;
  context.changed = mostTouched([changed, ...own.map((mark) => mark.changes)]);
  context.linked = mostTouched([linked, ...own.map((mark) => mark.links)]);
}

function follow(joiner: string, before: Flow, now: Flow): Flow {
  if (joiner === '&&') return { ok: now.ok, failed: merge(before.failed, now.failed) };
  if (joiner === '||') return { ok: merge(before.ok, now.ok), failed: now.failed };
  return now;
}

function planPipeline(
  pipeline: Pipeline,
  context: PlanContext,
  at: { place: Place; guarded: boolean },
): Planned {
  const listed = loopOver(pipeline, whereabouts(context, at.place));
  if (listed !== null) return planPipeline(listed, context, at);
  const { commands, withErrors, negated, timed } = pipeline;
  const alone = commands.length === 1 && !negated && timed === null;
  // What runs beside others runs in a shell of its own, which a loop around it does not see.
  const place = commands.length === 1 ? at.place : { ...at.place, loop: null };
  let text = prefixOf(pipeline, context);
  const linkedBefore = context.linked;
  let { brought } = context;
  const done: (readonly Stage[])[] = [];
  const parts = commands.map((command) => {
    // Parts of a pipeline run at the same time, so none sees what those left of it changed first.
    context.linked = linkedBefore;
    const firstStage = context.stages.length;
    const own = { ...place, piped: done.length > 0 && takesPipe(command) };
    const planned = planCommand(command, context, { place: own, guarded: at.guarded && alone });
    for (let one = firstStage; one < context.stages.length; one += 1) feedNames(one, done, context);
    if (done.length > 0 || isGivenInput(command)) judgeAgain(context, firstStage, trustOnFed);
    if (brought) judgeAgain(context, firstStage, trustOnInput);
    const stages = context.stages.slice(firstStage);
    done.push(stages);
    brought ||= context.brought || stages.some((stage) => bringsFromElsewhere(stage));
    return {
      planned,
      writes: stages.some((stage) => stage.writes.length > 0),
      linked: context.linked,
      span: [firstStage, context.stages.length] as const,
    };
  });
  judgeBeside(
    context,
    parts.map((part) => part.span),
  );
  context.linked = mostTouched(parts.map((part) => part.linked));
  for (const part of parts)
    if (part.writes && parts.some((other) => other !== part && other.linked !== 'none'))
      throw opaque(
        'redirect',
        'A redirection is not understood: another part of the pipeline may turn the file into a link.',
        pipeline.start,
      );
  parts.forEach(({ planned }, index) => {
    text += planned.text;
    if (index < parts.length - 1) text += withErrors[index] === true ? ' 2>&1 | ' : ' | ';
  });
  const only = parts[0]?.planned;
  if (commands.length > 1 || only === undefined)
    return { text, argv: null, flow: unchanged(place) };
  const { ok, failed } = only.flow;
  return {
    text,
    argv: alone ? only.argv : null,
    flow: negated ? { ok: failed, failed: ok } : only.flow,
  };
}

/** What comes through the pipe to an xargs is known only here. */
function feedNames(at: number, before: readonly (readonly Stage[])[], context: PlanContext): void {
  const { stages, surroundings, request } = context;
  const stage = stages[at];
  if (stage === undefined || !takesNames(stage)) return;
  const changed = changedBefore(at, at - before.flat().length, context);
  stages[at] = fedBy(stage, before, ({ cwd }) => ({ cwd, surroundings, request }), changed);
}

type Trusting = (one: Stage) => Stage['trust'];

function judgeAgain({ stages }: PlanContext, from: number, on: Trusting): void {
  for (const [at, one] of stages.entries()) if (at >= from) stages[at] = { ...one, trust: on(one) };
}

function prefixOf({ negated, timed, start }: Pipeline, { surroundings }: PlanContext): string {
  if (timed !== null && !surroundings.shell.endsWith('bash'))
    throw opaque('unsupported-syntax', '`time` is a word of bash, which is not here.', start);
  return `${timed === null ? '' : `${timed} `}${negated ? '! ' : ''}`;
}

function planCommand(
  command: Command,
  context: PlanContext,
  at: { place: Place; guarded: boolean },
): Planned {
  if (command.kind === 'simple') return planSimple(command, context, at);
  return planCompound(command, context, at.place);
}
