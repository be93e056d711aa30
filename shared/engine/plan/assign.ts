import { isPager, unsafeValue, unsafeVariable } from './environment.ts';
import { opaque } from '../parse/syntax.ts';
import type { Prefix, SimpleCommand } from '../parse/syntax.ts';
import { quoteWord } from '../parse/shell-quote.ts';
import type { Assignment } from './types.ts';
import { isExported, lookupAt, type PlanContext, type Place } from './shell-state.ts';
import { expandValue, type RenderedArgument } from './expand.ts';
import type { Flow, State } from './shell-state.ts';
import { doesNothing, pushStage } from './stage.ts';
import {
  known,
  mostVariables,
  settings,
  unsafeToKeep,
  withVariable,
  type Variable,
  type Variables,
} from './shell-state.ts';

/** Variables for one command, and what the shell knows while it starts it. */
export interface Prefixes {
  readonly assignments: readonly Assignment[];
  readonly variables: Variables;
}

/** `A=b C=d` before a command; a later value may use an earlier one. */
export function planPrefixes(
  prefixes: readonly Prefix[],
  context: PlanContext,
  place: Place,
): Prefixes {
  let { variables } = place;
  const assignments = prefixes.map(({ name, value: word }): Assignment => {
    const refuse = (why: string | null): void => {
      if (why !== null) throw unsafe(name, why, word.start - name.length - 1, word.end);
    };
    if (!isPager(name)) refuse(unsafeVariable(name));
    const value = expandValue(word, lookupAt(context, { ...place, variables }));
    refuse(unsafeValue(name, value, place.cwd));
    if (variables.size >= mostVariables) throw tooMany(word.start);
    variables = withVariable(variables, name, known(value, true));
    return { name, value };
  });
  return { assignments, variables };
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
  const words = command.assignments.map(({ name, value: word }) => {
    const here = { ...place, variables };
    const exported = isExported(context, here, name);
    const [piece] = word.pieces;
    const status = word.pieces.length === 1 && piece?.kind === 'status';
    const variable: Variable = status
      ? { possible: ['$?'], certain: true, status, exported }
      : known(expandValue(word, lookupAt(context, here)), exported);
    variables = keep(variables, { name, variable, start, end });
    const [value = ''] = variable.possible;
    const render = `${name}=${status ? '"$?"' : quoteWord(value)}`;
    return { text: `${name}=${value}`, live: status ? ('status' as const) : null, render };
  });
  const executable = { kind: 'builtin', name: setting } as const;
  const at = { ...place, assignments: settings(variables), span: place.span ?? { start, end } };
  pushStage(context, at, { words, executable, trust: { level: 'open' }, ...doesNothing });
  return {
    text: words.map((word) => word.render).join(' '),
    argv: null,
    flow: changed(place, variables),
  };
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
