import {
  importsProject,
  hasTameValues,
  isImportPath,
  isPager,
  unsafeValue,
  unsafeVariable,
} from './environment.ts';
import { lastJob } from '../parse/quoting.ts';
import { quoteWord } from '../parse/shell-quote.ts';
import { opaque } from '../parse/syntax.ts';
import type { Piece, SimpleCommand, Word } from '../parse/syntax.ts';
import type { Assignment } from './types.ts';
import { isExported, lookupAt, type PlanContext, type Place } from './shell-state.ts';
import { expandLive, expandValue, type RenderedArgument } from './expand.ts';
import { unknownOutput, valueIn, type Lookup } from './expansions.ts';
import type { Flow, State } from './shell-state.ts';
import { doesNothing, pushStage } from './stage.ts';
import {
  known,
  mostVariables,
  settings,
  unchanged,
  unknownValue,
  unsafeToKeep,
  withVariable,
  type Variable,
  type Variables,
} from './shell-state.ts';

/** Variables for one command, and what the shell knows while it starts it. */
interface Prefixes {
  readonly assignments: readonly Assignment[];
  readonly variables: Variables;
  /** The same as text in front of the command. */
  readonly prefix: string;
}

/** `A=b C=d` before a command; a later value may use an earlier one. */
export function planPrefixes(
  command: SimpleCommand,
  words: readonly RenderedArgument[],
  context: PlanContext,
  place: Place,
): Prefixes {
  let { variables } = place;
  const separator = separatorOf(command, words, context, place);
  if (separator !== null) return { assignments: [], variables, prefix: rendered([separator]) };
  const assignments = command.assignments.map(({ name, value: word }): Assignment => {
    const refuse = (why: string | null): void => {
      if (why !== null) throw unsafe(name, why, word.start - name.length - 1, word.end);
    };
    if (!isPager(name) && !isImportPath(name) && !hasTameValues(name)) refuse(unsafeVariable(name));
    const value = expandValue(word, lookupAt(context, { ...place, variables }));
    const imports = importsProject(name, value, place.cwd);
    if (!imports) refuse(unsafeValue(name, value, place.cwd));
    if (variables.size >= mostVariables) throw tooMany(word.start);
    const own = imports ? { imports } : {};
    variables = withVariable(variables, name, { ...known(value, true), ...own });
    return { name, value, ...own };
  });
  return { assignments, variables, prefix: rendered(assignments) };
}

function rendered(assignments: readonly Assignment[]): string {
  return assignments.map(({ name, value }) => `${name}=${quoteWord(value)} `).join('');
}

/**
 * `IFS=, read -r A B`: set for that one `read`, which only splits a line by it into values that
 * nobody knows anyway. Null for anything else.
 */
function separatorOf(
  { assignments }: SimpleCommand,
  words: readonly RenderedArgument[],
  context: PlanContext,
  place: Place,
): Assignment | null {
  const [prefix] = assignments;
  const [first] = words;
  if (assignments.length !== 1 || prefix?.name !== 'IFS') return null;
  if (first?.text !== 'read' || first.live !== null) return null;
  return { name: 'IFS', value: expandValue(prefix.value, lookupAt(context, place)) };
}

/** Stands for the shell itself where it sets variables; no program can have this name in a rule. */
export const setting = '=';

/** `A=b C=d` alone: the values hold for the rest of the command. */
export function planAssignments(
  command: SimpleCommand,
  context: PlanContext,
  place: Place,
): { readonly text: string; readonly argv: null; readonly flow: Flow } {
  let { variables } = place;
  const { start, end } = command;
  if (command.redirects.length > 0)
    throw opaque('assignment', 'A variable is set, and a file is opened.', start, end);
  let runs = false;
  const words = command.assignments.map(({ name, value: word }) => {
    const here = { ...place, variables };
    const exported = isExported(context, here, name);
    const [piece] = word.pieces;
    const number = word.pieces.length === 1 ? numberIn(piece, lookupAt(context, here)) : null;
    const value =
      number === null
        ? expandLive(word, lookupAt(context, here))
        : ({ text: number, live: 'status', render: `"${number}"` } as const);
    const status = number !== null || (word.pieces.length === 1 && isTime(piece));
    if (value.live === 'output' && exported)
      throw opaque('assignment', 'Programs are given what another command prints.', start, end);
    runs ||= piecesRun(word);
    const variable: Variable =
      value.live === 'output' && !status
        ? unknownValue(unknownOutput)
        : { possible: [value.text], certain: true, status, exported };
    variables = keep(variables, { name, variable, start, end });
    return { ...value, text: `${name}=${value.text}`, render: `${name}=${value.render}` };
  });
  const executable = { kind: 'builtin', name: setting } as const;
  const at = { ...place, assignments: settings(variables), span: place.span ?? { start, end } };
  pushStage(context, at, { words, executable, trust: { level: 'open' }, ...doesNothing });
  return {
    text: words.map((word) => word.render).join(' '),
    argv: null,
    // Its status is that of the last command whose output it takes.
    flow: runs ? unchanged({ cwd: place.cwd, variables }) : changed(place, variables),
  };
}

/** `$?`, `$!` and sums with such, which are numbers. */
function numberIn(piece: Piece | undefined, lookup: Lookup): string | null {
  if (piece?.kind === 'status') return '$?';
  if (piece?.kind === 'arithmetic') {
    const sum = valueIn(piece, lookup);
    return typeof sum === 'object' && sum !== null && 'status' in sum ? `$${sum.status}` : null;
  }
  const isJob = piece?.kind === 'variable' && piece.name === lastJob && lookup(lastJob) !== null;
  return isJob ? `$${lastJob}` : null;
}

/** `$(date +%s)`, which is a number. */
function isTime(piece: Piece | undefined): boolean {
  if (piece?.kind !== 'output') return false;
  const [item, more] = piece.list;
  const [command, next] = item?.pipeline.commands ?? [];
  if (more !== undefined || next !== undefined || command?.kind !== 'simple') return false;
  const words = command.words.map(({ pieces: [one, other] }) =>
    other === undefined && one?.kind === 'text' ? one.text : '',
  );
  return command.redirects.length === 0 && /^date \+%s(?:%N)?$/.test(words.join(' '));
}

function piecesRun({ pieces }: Word): boolean {
  return pieces.some(({ kind }) => kind === 'output');
}

/** `read -r A B`: variables of which only the shell will know the values; null for other calls. */
export function planRead(
  args: readonly RenderedArgument[],
  context: PlanContext,
  place: Place,
): { readonly text: string; readonly flow: Flow } | null {
  const [raw, ...names] = args;
  if (raw?.text !== '-r' || raw.live !== null || names.length === 0) return null;
  let { variables } = place;
  for (const { text: name, live } of names) {
    if (live !== null || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return null;
    const { start = 0, end = 1 } = place.span ?? {};
    if (isExported(context, place, name))
      throw opaque('assignment', 'Programs are given what is read.', start, end);
    variables = keep(variables, { name, variable: unknownValue(unknownOutput), start, end });
  }
  const text = `read -r ${names.map((name) => name.text).join(' ')}`;
  return { text, flow: unchanged({ cwd: place.cwd, variables }) };
}

/** `export A=b C=d`, or null where it is called in another way. */
export function planExport(
  args: readonly RenderedArgument[],
  place: Place,
): { readonly text: string; readonly flow: Flow } | null {
  let { variables } = place;
  if (args.length === 0) return null;
  for (const arg of args) {
    const match = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s.exec(arg.text);
    if (arg.live !== null || match === null) return null;
    const [, name = '', value = ''] = match;
    const { start = 0, end = 1 } = place.span ?? {};
    variables = keep(variables, { name, variable: known(value, true), start, end });
  }
  const text = `export ${args.map((arg) => arg.render).join(' ')}`;
  return { text, flow: changed(place, variables) };
}

/** Setting a variable cannot fail: those that a shell protects are not let through. */
function changed({ cwd }: Place, variables: Variables): Flow {
  return { ok: { cwd, variables }, failed: undefined };
}

/** The place of a round of a loop, whose variable has a value of its own there. */
export function setForLoop(
  { name, start, end }: { name: string; start: number; end: number },
  value: string,
  { context, place, state }: { context: PlanContext; place: Place; state: State },
): Place {
  const at: Place = { ...place, ...(state ?? { cwd: null }) };
  const why = unsafeValue(name, value, at.cwd);
  if (why !== null) throw unsafe(name, why, start, end);
  const variable = known(value, isExported(context, at, name));
  return { ...at, variables: keep(at.variables, { name, variable, start, end }) };
}

/** The same for a value that only the shell will know. */
export function setUnknown(
  { name, start, end }: { name: string; start: number; end: number },
  place: Place,
  context: PlanContext,
): Place {
  if (isExported(context, place, name))
    throw opaque('assignment', 'Programs are given what another command prints.', start, end);
  const variable = unknownValue(unknownOutput);
  return { ...place, variables: keep(place.variables, { name, variable, start, end }) };
}

interface Kept {
  readonly name: string;
  readonly variable: Variable;
  readonly start: number;
  readonly end: number;
}

function keep(all: Variables, { name, variable, start, end }: Kept): Variables {
  const why = unsafeToKeep(name);
  if (why !== null) throw unsafe(name, why, start, end);
  if (all.size >= mostVariables && !all.has(name)) throw tooMany(start);
  return withVariable(all, name, variable);
}

function unsafe(name: string, why: string, start: number, end: number): Error {
  return opaque('unsafe-environment', `${name} is set, which ${why}.`, start, end);
}

function tooMany(start: number): Error {
  return opaque('too-long', `The command sets more than ${mostVariables} variables.`, start);
}
