import type { GrammarParser } from '../grammar.ts';
import type { Dialect } from '../parse/read.ts';
import type { Assignment, CommandRequest, Span, Stage, Surroundings, Wrapper } from '../types.ts';
import type { Lookup, Value } from './chunks.ts';
import type { ShellState } from './flow.ts';
import { isDynamic, type Variable } from './variables.ts';

/** What is collected while a plan is made. */
export interface PlanContext {
  readonly surroundings: Surroundings;
  readonly request: CommandRequest;
  readonly parser: GrammarParser;
  readonly stages: Stage[];
  /** Bodies of heredocs in the order of their operators; they follow the canonical line. */
  bodies: string[];
  /** How much of commands inside commands may still be shown; shared by all outlines of a request. */
  readonly outline: { left: number; depth: number };
  /** A program ran before this place and may have changed files, so what was seen may be stale. */
  changed: boolean;
  /** Such a program may also have put a symbolic link in the place of a file. */
  linked: boolean;
}

/** What surrounds one command. */
export interface Place extends ShellState {
  readonly wrappers: readonly Wrapper[];
  /** All variables that this command and those around and before it may have set. */
  readonly assignments: readonly Assignment[];
  /** What redirections of enclosing groups write and read. */
  readonly writes: readonly string[];
  readonly reads: readonly string[];
  readonly dialect: Dialect;
  /** Stands in for the spans of a text that is itself an argument. */
  readonly span: Span | null;
}

/** A piece of the canonical rendering. */
export interface Rendered {
  readonly text: string;
  /** The same as an argument vector, where no shell is needed to run it. */
  readonly argv: readonly string[] | null;
}

/**
 * The variables that are known at a place: those that the command set before, those of the request,
 * and those that the runner sets.
 */
export function lookupAt(context: PlanContext, place: Place): Lookup {
  return (name) => {
    if (name === 'PWD') return place.cwd === context.request.cwd ? place.cwd : null;
    if (isDynamic(name)) return null;
    const set = place.variables.get(name);
    if (set !== undefined) return valueOf(name, set);
    const asked = context.request.env;
    if (asked && Object.hasOwn(asked, name)) return asked[name] ?? null;
    const { variables } = context.surroundings;
    return Object.hasOwn(variables, name) ? (variables[name] ?? null) : null;
  };
}

function valueOf(name: string, { possible, certain, status }: Variable): Value | null {
  const [value] = possible;
  if (!certain || value === undefined || possible.length > 1) return null;
  return status ? { status: name } : value;
}

/** Whether programs that a shell starts there surely see the variable already. */
export function isExported(context: PlanContext, place: Place, name: string): boolean {
  const set = place.variables.get(name);
  if (set !== undefined) return set.exported;
  const { request, surroundings } = context;
  return Object.hasOwn(request.env ?? {}, name) || Object.hasOwn(surroundings.variables, name);
}

/** At most this many programs in one plan. */
export const mostStages = 256;

/** Nested wrappers and carriers are followed this deep. */
export const deepestWrapping = 8;
