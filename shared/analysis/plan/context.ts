import type { GrammarParser } from '../grammar.ts';
import type { Dialect } from '../parse/read.ts';
import type { Assignment, CommandRequest, Span, Stage, Surroundings, Wrapper } from '../types.ts';
import type { Lookup } from './chunks.ts';

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
export interface Place {
  /** Real path of the working directory, null where it cannot be known. */
  readonly cwd: string | null;
  readonly wrappers: readonly Wrapper[];
  /** Variables that enclosing commands set. */
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

/** Shells give these a value of their own, whatever the environment says. */
const dynamic =
  /^(?:_|RANDOM|SRANDOM|SECONDS|LINENO|EPOCH.*|BASH.*|[EP]*UID|PPID|GROUPS|DIRSTACK|FUNCNAME|HOST.*|MACHTYPE|OSTYPE|IFS|OPT.*|PIPESTATUS|SH.*|PWD|OLDPWD|PS[0-9]|COMP.*|HIST.*|REPLY|PATH|CDPATH|MAIL.*|COLUMNS|LINES|READLINE.*|MAPFILE|COPROC|TIMEFORMAT|ENV|POSIXLY_CORRECT)$/;

/** The variables that are known at a place: those the runner sets, and those of the request. */
export function lookupAt(context: PlanContext, place: Place): Lookup {
  return (name) => {
    if (name === 'PWD') return place.cwd === context.request.cwd ? place.cwd : null;
    if (dynamic.test(name)) return null;
    const set = place.assignments.findLast((one) => one.name === name);
    if (set !== undefined) return set.value;
    const asked = context.request.env;
    if (asked && Object.hasOwn(asked, name)) return asked[name] ?? null;
    const { variables } = context.surroundings;
    return Object.hasOwn(variables, name) ? (variables[name] ?? null) : null;
  };
}

/** At most this many programs in one plan. */
export const mostStages = 256;

/** Nested wrappers and carriers are followed this deep. */
export const deepestWrapping = 8;
