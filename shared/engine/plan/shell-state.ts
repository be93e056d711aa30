import { builtinNames } from './builtins/names.ts';
import { findExecutable } from './executable.ts';
import { knownOutput } from '../programs/known-output.ts';
import type { GrammarParser } from '../parse/grammar.ts';
import { lastJob } from '../parse/quoting.ts';
import type { Dialect } from '../parse/read.ts';
import { opaque } from '../parse/syntax.ts';
import type { CommandList } from '../parse/syntax.ts';
import { bringsFromElsewhere } from '../programs/input.ts';
import type { Touched } from '../programs/types.ts';
import { unsafeVariable } from './environment.ts';
import type { Lookup, Value } from './expansions.ts';
import type { RenderedArgument } from './expand.ts';
import type { Assignment, CommandRequest, Span, Stage, Surroundings, Wrapper } from './types.ts';

/** What is known about a variable that the command itself sets. */
export interface Variable {
  /** Every value that it may have here: one where it is known, more where ways through the command meet. */
  readonly possible: readonly string[];
  /** It was set on every way that leads here. */
  readonly certain: boolean;
  /** The one value is the status of a command, a number that only the shell will know. */
  readonly status: boolean;
  /** The value is what a command prints, which nobody knows before. */
  readonly unknown?: true;
  /** As in `Assignment`. */
  readonly imports?: true;
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

/** A value that only the shell will know. */
export function unknownValue(text: string): Variable {
  return { possible: [text], certain: true, status: false, unknown: true, exported: false };
}

/** Whether two looks at a place say the same of it. */
export function isSameState(one: ShellState, other: ShellState): boolean {
  if (one.cwd !== other.cwd || one.variables.size !== other.variables.size) return false;
  if (one.variables === other.variables) return true;
  return [...one.variables].every(([name, a]) => {
    const b = other.variables.get(name);
    return (
      b !== undefined &&
      a.certain === b.certain &&
      a.status === b.status &&
      a.unknown === b.unknown &&
      a.exported === b.exported &&
      a.possible.length === b.possible.length &&
      a.possible.every((value) => b.possible.includes(value))
    );
  });
}

export function withVariable(all: Variables, name: string, variable: Variable): Variables {
  return new Map(all).set(name, variable);
}

/** Where two ways through a command meet. */
function mergeVariables(one: Variables, other: Variables): Variables {
  if (one === other) return one;
  const merged = new Map<string, Variable>();
  for (const name of new Set([...one.keys(), ...other.keys()])) {
    const [a, b] = [one.get(name), other.get(name)];
    const possible = [...new Set([...(a?.possible ?? []), ...(b?.possible ?? [])])];
    if (possible.length > mostVariables)
      throw opaque('too-long', `A variable may have more than ${mostVariables} values.`);
    const status = a?.status === true || b?.status === true;
    const unknown = a?.unknown === true || b?.unknown === true;
    merged.set(name, {
      possible,
      certain:
        a?.certain === true &&
        b?.certain === true &&
        a.status === b.status &&
        a.unknown === b.unknown,
      status,
      ...(unknown ? { unknown } : {}),
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
  return [...all].flatMap(([name, { possible, certain, exported, imports }]) => {
    const kept = certain && !exported ? { kept: true as const } : {};
    const own = imports === true ? { imports } : {};
    return possible.map((value) => ({ name, value, ...kept, ...own }));
  });
}

/** The shell acts on these by itself, or never lets them be set. */
const ofTheShell =
  /^(?:LANG|LANGUAGE|LC_.*|TERM|TMOUT|FUNCNEST|IGNOREEOF|CHILD_MAX|EMACS|INSIDE_EMACS|GLOB.*|ATTY|histchars|auto_resume|allow_null_glob_expansion|DIRSTACK|PROMPT.*)$/;

/** Shells give these a value of their own, whatever the environment says. */
const dynamic =
  /^(?:_|RANDOM|SRANDOM|SECONDS|LINENO|EPOCH.*|BASH.*|[EP]*UID|PPID|GROUPS|DIRSTACK|FUNCNAME|HOST(?:NAME|TYPE|FILE)|MACHTYPE|OSTYPE|IFS|OPT(?:ARG|ERR|IND)|PIPESTATUS|SHELL.*|SHLVL|PWD|OLDPWD|PS[0-9]|COMP_.*|COMPREPLY|HIST.*|REPLY|PATH|CDPATH|MAIL(?:CHECK|PATH)?|COLUMNS|LINES|READLINE_.*|MAPFILE|COPROC.*|TIMEFORMAT|ENV|POSIXLY_CORRECT)$/;

function isDynamic(name: string): boolean {
  return dynamic.test(name);
}

/** Why a variable may not be set for the rest of a command; the words complete "NAME …". */
export function unsafeToKeep(name: string): string | null {
  const own = ofTheShell.test(name) || dynamic.test(name);
  return unsafeVariable(name) ?? (own ? 'changes what the shell itself does' : null);
}

/** What a shell remembers from one command to the next. */
interface ShellState {
  /** The working directory, null where it cannot be known. */
  readonly cwd: string | null;
  /** Variables that earlier commands set. */
  readonly variables: Variables;
}

/** The state at a place; undefined where the place is never reached. */
export type State = ShellState | undefined;

/** The state after a command, by how it ended. */
export interface Flow {
  readonly ok: State;
  readonly failed: State;
}

export function merge(one: State, other: State): State {
  if (one === undefined || one === other) return other;
  if (other === undefined) return one;
  return {
    cwd: one.cwd === other.cwd ? one.cwd : null,
    variables: mergeVariables(one.variables, other.variables),
  };
}

/** Behind a command that changes nothing that a shell remembers. */
export function unchanged({ cwd, variables }: ShellState): Flow {
  const state = { cwd, variables };
  return { ok: state, failed: state };
}

/** Behind a command that ends the shell. */
export const ended: Flow = { ok: undefined, failed: undefined };

const touching: readonly Touched[] = ['none', 'own', 'any'];

export function mostTouched(all: readonly Touched[]): Touched {
  return touching[Math.max(0, ...all.map((one) => touching.indexOf(one)))] ?? 'any';
}

/** What a stage may change, in the place of which files it may put a link, and whether it opens some. */
interface Mark {
  readonly changes: Touched;
  /** All that it changes, where that is known. */
  readonly names: readonly string[] | null;
  readonly links: Touched;
  readonly opens: boolean;
}

/** What is collected while a plan is made. */
export interface PlanContext {
  readonly surroundings: Surroundings;
  readonly request: CommandRequest;
  readonly parser: GrammarParser;
  /** Plans a program inside another one; here, because those who need it are needed by it. */
  readonly planProgram: (
    words: readonly RenderedArgument[],
    context: PlanContext,
    at: ProgramPlace,
  ) => Rendered;
  /** Plans a list of commands; here for the same reason. */
  readonly planList: (list: CommandList, context: PlanContext, place: Place) => Planned;
  readonly stages: Stage[];
  /** Bodies of heredocs in the order of their operators; they follow the canonical line. */
  bodies: string[];
  /** What another machine says may stand in a word or a variable. */
  brought: boolean;
  /** For each stage, what it changes for those behind it. */
  readonly marks: Mark[];
  /**
   * Parts in the background: how many were met in this look, behind which stage each ends, and the
   * marks of all stages of the look before.
   */
  readonly background: { seen: number; readonly ends: number[]; marks: readonly Mark[] };
  /** Loops without a bound around this place. */
  readonly loops: { depth: number };
  /** How much of commands inside commands may still be shown; shared by all outlines of a request. */
  readonly outline: { left: number; depth: number };
  /** What programs before this place may have changed, so that what was seen of it may be stale. */
  changed: Touched;
  /** In the place of what they may also have put a symbolic link. */
  linked: Touched;
}

/** Where a program's words stand. */
export interface ProgramPlace {
  readonly place: Place;
  /** Started by a shell, so a shell's construct may take its place, or by another program. */
  readonly by: 'shell' | 'program';
}

/** What surrounds one command. */
export interface Place extends ShellState {
  readonly wrappers: readonly Wrapper[];
  /** All variables that this command and those around and before it may have set. */
  readonly assignments: readonly Assignment[];
  /** What redirections of enclosing groups write and read. */
  readonly writes: readonly string[];
  readonly reads: readonly string[];
  /** The text that this very command is given as input, where it stands in the command. */
  readonly input?: string | null;
  /** What it reads comes through a pipe. */
  readonly piped?: boolean;
  readonly dialect: Dialect;
  /** The loop whose body this is, in the same shell. */
  readonly loop: Loop | null;
  /** Stands in for the spans of a text that is itself an argument. */
  readonly span: Span | null;
}

/** What `break` and `continue` have to know of the loop around them. */
export interface Loop {
  /** How the rendering leaves it: each round of a `for` is a loop of its own. */
  readonly leave: 'break' | 'break 2';
  /** Where the shell stood when it was left; and when a round was. */
  readonly left: State[];
  readonly skipped: State[];
}

/** A rendering, and where the shell stands behind it. */
export interface Planned extends Rendered {
  readonly flow: Flow;
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
  const value = (name: string): Value | null => {
    if (name === 'PWD') return place.cwd === context.request.cwd ? place.cwd : null;
    if (name === lastJob) return context.background.seen > 0 ? { status: lastJob } : null;
    if (name.startsWith('PIPESTATUS['))
      return isBash(context, place) ? { status: `{${name}}` } : null;
    if (isDynamic(name)) return describing.test(name) ? { output: name } : null;
    const set = place.variables.get(name);
    if (set !== undefined) return valueOf(name, set);
    const asked = context.request.env;
    if (asked && Object.hasOwn(asked, name)) return asked[name] ?? null;
    const { variables } = context.surroundings;
    if (Object.hasOwn(variables, name)) return variables[name] ?? null;
    return describing.test(name) ? { output: name } : null;
  };
  const at = whereabouts(context, place);
  return Object.assign(value, {
    run: (list: CommandList) => runInside(list, context, place),
    printed: (list: CommandList) => knownOutput(list, at),
  });
}

function isBash({ surroundings }: PlanContext, { dialect }: Place): boolean {
  return dialect === 'bash' && surroundings.shell.endsWith('bash');
}

/**
 * Variables that say where and as what something runs, and by their nature hold no secret. Their values
 * are not known, and printed as what a command prints.
 */
const describing =
  /^(?:SHELL|HOSTNAME|OSTYPE|HOSTTYPE|MACHTYPE|BASH_VERSION|ZSH_VERSION|SHLVL|E?UID|PPID|RANDOM|SECONDS|LANG|LC_[A-Z]+|TERM|EDITOR|VISUAL|PAGER|TZ|DISPLAY|CI|LOGNAME|XDG_[A-Z]+_(?:HOME|DIR)|VIRTUAL_ENV|CONDA_(?:PREFIX|DEFAULT_ENV)|PYENV_(?:ROOT|VERSION)|PYTHON(?:PATH|HOME)|JAVA_HOME|JDK_HOME|GRADLE_(?:HOME|USER_HOME)|M2_HOME|MAVEN_HOME|ANDROID_(?:HOME|SDK_ROOT|NDK_HOME)|GO(?:PATH|ROOT|BIN|OS|ARCH|FLAGS)|CARGO_(?:HOME|TARGET_DIR)|RUSTUP_(?:HOME|TOOLCHAIN)|NVM_(?:DIR|BIN)|VOLTA_HOME|PNPM_HOME|BUN_INSTALL|DENO_DIR|NODE_(?:ENV|PATH|VERSION)|RAILS_ENV|RACK_ENV|MIX_ENV|APP_ENV|FLASK_(?:ENV|APP)|DJANGO_SETTINGS_MODULE|RBENV_(?:ROOT|VERSION)|GEM_(?:HOME|PATH)|DOTNET_ROOT|ASPNETCORE_ENVIRONMENT|ZEPHYR_BASE|IDF_PATH|LD_LIBRARY_PATH|PKG_CONFIG_PATH|CMAKE_PREFIX_PATH|CC|CXX|CFLAGS|CXXFLAGS|LDFLAGS|MAKEFLAGS|COLUMNS|LINES)$/;

/** What is needed to know what a substitution prints. */
export function whereabouts({ changed, surroundings, request }: PlanContext, { cwd }: Place) {
  const locate = (name: string): string | null => {
    if (builtinNames.has(name)) return null;
    const found = findExecutable(name, { surroundings, cwd, requestCwd: request.cwd });
    return found.kind === 'file' ? found.path : null;
  };
  return { cwd, changed: changed !== 'none', files: surroundings.files, locate };
}

/** Plans what runs in a shell of its own while a word is expanded; its stages come first. */
function runInside(list: CommandList, context: PlanContext, place: Place): string {
  const { length } = context.stages;
  const bodies = context.bodies.length;
  const { text } = context.planList(list, context, { ...place, loop: null });
  if (context.bodies.length > bodies)
    throw opaque('command-substitution', 'A substitution holds a document.');
  context.brought ||= context.stages.slice(length).some((stage) => bringsFromElsewhere(stage));
  return text;
}

function valueOf(name: string, { possible, certain, status, unknown }: Variable): Value | null {
  const [value] = possible;
  if (!certain || value === undefined) return null;
  // Whichever of them it is, it is a number, and the shell has it.
  if (status) return { status: name };
  if (possible.length > 1) return null;
  return unknown === true ? { output: name } : value;
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

/**
 * Paths that stages before a pipeline write, null for any; `begin` is where it begins. In a loop all
 * others have run before.
 */
export function changedBefore(
  at: number,
  begin: number,
  { marks, loops }: PlanContext,
): readonly (string | null)[] {
  return marks.flatMap(({ changes, names }, index): readonly (string | null)[] =>
    changes === 'any' && index !== at && (index < begin || loops.depth > 0)
      ? (names ?? [null])
      : [],
  );
}

const aNumber = /^(?:0|[1-9]\d{0,14})$/;

/** A number that only the shell will know in a round, whatever it began with. */
function counter(name: string, exported: boolean): Variable {
  return { possible: [`$${name}`], certain: true, status: true, exported };
}

/**
 * The state before a further round of a loop, in which what began as a number and is set to numbers
 * alone is a number of which the value is not known. The first look takes for one whatever is set; the
 * second, which begins with that, holds only where each way through the loop ends with a number.
 */
export function counting(
  next: State,
  { start, entry, ends }: { start: ShellState; entry: State; ends: readonly State[] },
): State {
  if (next === undefined || entry === undefined) return next;
  const variables = new Map(next.variables);
  for (const [name, { exported }] of next.variables) {
    const first = start.variables.get(name);
    const isNumber = first?.certain === true && first.possible.every((one) => aNumber.test(one));
    if (!isNumber || next.variables.get(name) === entry.variables.get(name)) continue;
    const isFirst = entry.variables.get(name) === first;
    const stays = ends.every((end) => {
      const set = end?.variables.get(name);
      if (end === undefined) return true;
      return (
        set?.certain === true && (set.status || set.possible.every((one) => aNumber.test(one)))
      );
    });
    if (isFirst || stays) variables.set(name, counter(name, exported));
  }
  return { ...next, variables };
}
