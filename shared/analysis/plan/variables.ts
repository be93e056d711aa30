import { unsafeVariable } from '../environment.ts';
import { opaque } from '../parse/opaque.ts';
import type { Assignment } from '../types.ts';

/** What is known about a variable that the command itself sets. */
export interface Variable {
  /** Every value that it may have here: one where it is known, more where ways through the command meet. */
  readonly possible: readonly string[];
  /** It was set on every way that leads here. */
  readonly certain: boolean;
  /** The one value is the status of a command, a number that only the shell will know. */
  readonly status: boolean;
  /** Programs that are started surely see it. */
  readonly exported: boolean;
}

export type Variables = ReadonlyMap<string, Variable>;

export const noVariables: Variables = new Map();

/** At most this many variables in one command, and values of one variable. */
export const mostVariables = 32;

/** A literal value that a variable surely has. */
export function known(value: string, exported: boolean): Variable {
  return { possible: [value], certain: true, status: false, exported };
}

export function withVariable(all: Variables, name: string, variable: Variable): Variables {
  return new Map(all).set(name, variable);
}

/** Where two ways through a command meet. */
export function mergeVariables(one: Variables, other: Variables): Variables {
  if (one === other) return one;
  const merged = new Map<string, Variable>();
  for (const name of new Set([...one.keys(), ...other.keys()])) {
    const [a, b] = [one.get(name), other.get(name)];
    const possible = [...new Set([...(a?.possible ?? []), ...(b?.possible ?? [])])];
    if (possible.length > mostVariables)
      throw opaque('too-long', `A variable may have more than ${mostVariables} values.`);
    const status = a?.status === true || b?.status === true;
    merged.set(name, {
      possible,
      certain: a?.certain === true && b?.certain === true && a.status === b.status,
      status,
      exported: a?.exported === true && b?.exported === true,
    });
  }
  return merged;
}

/** What a shell that is started here knows: a variable that is not exported may be another one there. */
export function inherited(all: Variables): Variables {
  return new Map(
    [...all].map(([name, one]) => [
      name,
      one.exported ? one : { ...one, certain: false, exported: false },
    ]),
  );
}

/** All that may be set, for those who judge what a program is given. */
export function settings(all: Variables): readonly Assignment[] {
  return [...all].flatMap(([name, { possible }]) => possible.map((value) => ({ name, value })));
}

/** The shell acts on these by itself, or never lets them be set. */
const ofTheShell =
  /^(?:LANG|LANGUAGE|LC_.*|TERM|TMOUT|FUNCNEST|IGNOREEOF|CHILD_MAX|EMACS|INSIDE_EMACS|GLOB.*|ATTY|histchars|auto_resume|allow_null_glob_expansion|DIRSTACK|PROMPT.*)$/;

/** Shells give these a value of their own, whatever the environment says. */
const dynamic =
  /^(?:_|RANDOM|SRANDOM|SECONDS|LINENO|EPOCH.*|BASH.*|[EP]*UID|PPID|GROUPS|DIRSTACK|FUNCNAME|HOST(?:NAME|TYPE|FILE)|MACHTYPE|OSTYPE|IFS|OPT(?:ARG|ERR|IND)|PIPESTATUS|SHELL.*|SHLVL|PWD|OLDPWD|PS[0-9]|COMP_.*|COMPREPLY|HIST.*|REPLY|PATH|CDPATH|MAIL(?:CHECK|PATH)?|COLUMNS|LINES|READLINE_.*|MAPFILE|COPROC.*|TIMEFORMAT|ENV|POSIXLY_CORRECT)$/;

export function isDynamic(name: string): boolean {
  return dynamic.test(name);
}

/** Why a variable may not be set for the rest of a command; the words complete "NAME …". */
export function unsafeToKeep(name: string): string | null {
  const own = ofTheShell.test(name) || dynamic.test(name);
  return unsafeVariable(name) ?? (own ? 'changes what the shell itself does' : null);
}
