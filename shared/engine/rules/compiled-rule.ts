import { RE2JS } from 're2js';
import { egressRuleProblem } from '../egress/policy.ts';
import type { GuardedUse, Surroundings } from '../plan/types.ts';
import { once, sha256, utf8Bytes } from '../../base/index.ts';
import type { Rule, RuleEffect } from '../policy/types.ts';
import { compileArgs } from './args.ts';
import type { CompiledArgs } from './args.ts';
import { compileGlob, expandBraces } from './glob.ts';
import type { Glob } from './glob.ts';
import { foldedSegments } from '../places/names.ts';
import type { Placement } from '../places/types.ts';

/** A regular expression that runs in linear time. */
interface LinearRegex {
  /** Null when it was understood; else why not, and it then matches nothing. */
  readonly problem: string | null;
  /** True when a match stands anywhere in the text, as `RegExp.test` does. */
  test(text: string): boolean;
}

/**
 * Compiles a regular expression in JavaScript's notation. Look-around and back references cannot be
 * run in linear time and are refused.
 */
function compileRegex(pattern: string): LinearRegex {
  try {
    const regex = RE2JS.compile(RE2JS.translateRegExp(pattern));
    return { problem: null, test: (text) => regex.test(text) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : 'unknown', test: () => false };
  }
}

/**
 * The text that an `argPattern` is held against: the arguments joined by one space. Older programs
 * also wrote patterns with NUL as the separator, a NUL at the end, and two for no arguments at all.
 */
function argumentText(args: readonly string[], pattern: string): string {
  if (!pattern.includes('\0')) return args.join(' ');
  return args.length === 0 ? '\0\0' : `${args.join('\0')}\0`;
}

const digestPrefix = 'sha256:cwd-argv:v1:';

/** The digest that an `argPattern` of a newer OpenClaw carries instead of an expression, or null. */
export function argumentDigest(pattern: string): string | null {
  return pattern.startsWith(digestPrefix) ? pattern.slice(digestPrefix.length) : null;
}

/** sha256 (hex) that binds a rule to one directory and one list of arguments. */
export function digestOfArguments(cwd: string, args: readonly string[]): string {
  const parts = [String(utf8Bytes(cwd).length), cwd, String(args.length)];
  for (const arg of args) parts.push(String(utf8Bytes(arg).length), arg);
  return sha256(`${parts.join('\0')}\0`);
}

const anywhere = { home: '/', ignoreCase: false } as const;

/** What in a rule cannot be understood, as a sentence; null when all of it can. */
export function ruleProblem(rule: Rule): string | null {
  if (rule.pattern === '') return 'its pattern is empty.';
  if (rule.presence !== undefined && (rule.effect !== 'ask' || rule.kind === 'egress'))
    return 'its presence says what it takes to allow it, and only a rule that asks can say that.';
  if (rule.approvers !== undefined && (rule.effect !== 'ask' || rule.kind === 'egress'))
    return 'its approvers say who has to allow it, and only a rule that asks can say that.';
  if (rule.kind === 'egress') return egressRuleProblem(rule);
  return (
    globProblem('pattern', rule.pattern) ??
    argsProblem(rule) ??
    regexProblem(rule.argPattern) ??
    globProblem('cwd', rule.cwd) ??
    (rule.writes ?? []).map((glob) => globProblem('writes', glob)).find((it) => it !== null) ??
    null
  );
}

function globProblem(field: string, glob: string | undefined): string | null {
  const problem = glob === undefined ? null : compileGlob(glob, anywhere).problem;
  return problem === null ? null : `its ${field} "${glob}" is not a glob: ${problem}.`;
}

function argsProblem(rule: Rule): string | null {
  const problem = rule.args === undefined ? null : compileArgs(rule.args, '/').problem;
  return problem === null ? null : `its args are not valid: ${problem}.`;
}

function regexProblem(pattern: string | undefined): string | null {
  if (pattern === undefined || argumentDigest(pattern) !== null) return null;
  const { problem } = compileRegex(pattern);
  return problem === null ? null : `its argPattern cannot be run in linear time: ${problem}.`;
}

/** What the meaning of a rule depends on besides the rule. */
export interface RuleSurroundings {
  readonly home: string;
  readonly platform: Surroundings['platform'];
}

/** A rule made ready for matching. What costs time is compiled when it is first needed. */
export interface CompiledRule {
  readonly rule: Rule;
  /** Place in the list that it came from. */
  readonly index: number;
  readonly effect: RuleEffect;
  /** The pattern is a path or a glob of paths; else it is the name of a command. */
  readonly isPath: boolean;
  readonly pattern: Glob;
  /** Each program that the pattern stands for has its name written out in it. */
  readonly names: () => boolean;
  readonly args: CompiledArgs | null;
  /** Null where the rule has no argPattern. */
  matchesArguments(words: readonly string[], cwd: string | null): boolean | null;
  readonly argumentsProblem: () => string | null;
  /** Null where the rule is for any tool. */
  readonly tool: () => Glob | null;
  readonly writes: () => readonly Glob[];
  /** The same for folders that something is put into: `dir/**` holds for `dir` itself. */
  readonly into: () => readonly Glob[];
  readonly cwd: () => Glob | null;
  /** Whether a person wrote the rule so that it names a guarded place, for this use of it. */
  namesGuarded(use: GuardedUse, kind: 'tool' | 'program'): boolean;
}

/** Paths on the default volumes of these platforms ignore case. */
export function ignoresCase(platform: Surroundings['platform']): boolean {
  return platform !== 'linux';
}

export function compileRule(rule: Rule, index: number, around: RuleSurroundings): CompiledRule {
  const options = { home: around.home, ignoreCase: ignoresCase(around.platform) };
  const regex = once(() => regexOf(rule));
  return {
    rule,
    index,
    effect: rule.effect ?? 'allow',
    isPath: (rule.kind ?? 'exec') !== 'exec' || isPathPattern(rule.pattern),
    pattern: compileGlob(rule.pattern, options),
    names: once(() => namesPrograms(rule.pattern)),
    args: rule.args === undefined ? null : compileArgs(rule.args, around.home),
    matchesArguments: (words, cwd) => matchArguments(rule, regex, words, cwd),
    argumentsProblem: () => regex()?.problem ?? null,
    tool: once(() => (rule.tool === undefined ? null : compileGlob(rule.tool, options))),
    writes: once(() => (rule.writes ?? []).map((glob) => compileGlob(glob, options))),
    into: once(() => (rule.writes ?? []).map((glob) => directoryGlob(glob, options))),
    cwd: once(() => (rule.cwd === undefined ? null : directoryGlob(rule.cwd, options))),
    namesGuarded: (use, kind) => namesGuarded(rule, use, { ...options, kind }),
  };
}

/** `**` alone means every program, so it is held against paths. */
export function isPathPattern(pattern: string): boolean {
  return pattern.includes('/') || pattern.startsWith('~') || pattern === '**';
}

/** A wildcard in the last part means whatever lies there, now or later. */
function namesPrograms(pattern: string): boolean {
  const alternatives = expandBraces(pattern) ?? [];
  return (
    alternatives.length > 0 &&
    alternatives.every(
      (one) => !/[*?[]/.test(one.slice(one.lastIndexOf('/') + 1).replaceAll(/\\./gs, '')),
    )
  );
}

function regexOf(rule: Rule): LinearRegex | null {
  if (rule.argPattern === undefined || argumentDigest(rule.argPattern) !== null) return null;
  return compileRegex(rule.argPattern);
}

function matchArguments(
  { argPattern }: Rule,
  regex: () => LinearRegex | null,
  words: readonly string[],
  cwd: string | null,
): boolean | null {
  if (argPattern === undefined) return null;
  const digest = argumentDigest(argPattern);
  if (digest !== null) return cwd !== null && digestOfArguments(cwd, words) === digest;
  return regex()?.test(argumentText(words, argPattern)) ?? false;
}

/** For directories `/**` at the end also means the directory itself. */
function directoryGlob(
  pattern: string,
  options: { readonly home: string; readonly ignoreCase: boolean },
): Glob {
  const glob = compileGlob(pattern, options);
  if (!pattern.endsWith('/**')) return glob;
  return { ...glob, matches: (path) => glob.matches(path) || glob.matches(`${path}/`) };
}

/** Made without a person who wrote it down with this place in mind. */
const madeInPassing: ReadonlySet<string> = new Set(['grant', 'allow-always', 'import']);

/**
 * A tool's target is named by the pattern, a redirection by an entry of `writes`, an argument by a
 * token that is that very word. Nothing names what a redirection reads.
 */
function namesGuarded(
  rule: Rule,
  { use, word, placement }: GuardedUse,
  options: {
    readonly home: string;
    readonly ignoreCase: boolean;
    readonly kind: 'tool' | 'program';
  },
): boolean {
  const { source = '' } = rule;
  if (madeInPassing.has(source) || source.startsWith('starter:')) return false;
  if (options.kind === 'tool') return namesPlace(rule.pattern, placement, options.home);
  if (word === null) {
    if (use === 'read') return false;
    return (rule.writes ?? []).some((glob) => namesPlace(glob, placement, options.home));
  }
  return (rule.args ?? []).some(
    (token) => typeof token === 'string' && isWord(token, word, options),
  );
}

function isWord(
  token: string,
  word: string,
  options: { readonly home: string; readonly ignoreCase: boolean },
): boolean {
  if (/\{/.test(token)) return false;
  const literals = compileGlob(token, options).literals ?? [];
  return literals.length === 1 && literals[0] === (options.ignoreCase ? word.toLowerCase() : word);
}

/**
 * Whether the pattern of a rule names a place: its part up to what makes the place one is written
 * out, without `*`, `?`, a set or alternatives. `PROJECT/.github/workflows/**` names workflows,
 * `PROJECT/.github/**` does not; a file that can disarm the gate is named by its whole path alone.
 * That the pattern matches the path is for the caller to see.
 */
export function namesPlace(pattern: string, placement: Placement, home: string): boolean {
  const written = writtenOut(pattern);
  const expanded = /^~(?=\/|$)/.test(written) ? home + written.slice(1) : written;
  const named = foldedSegments(expanded);
  const wanted = foldedSegments(placement.path);
  if (placement.reach > wanted.length) return false;
  const depth = placement.disarms || placement.place === 'own' ? wanted.length : placement.reach;
  return named.length >= depth && wanted.slice(0, depth).every((name, at) => name === named[at]);
}

/** The whole names at the start of a glob that hold no wildcard, with escapes taken out. */
function writtenOut(pattern: string): string {
  let text = '';
  for (let at = 0; at < pattern.length; at += 1) {
    const letter = pattern[at] ?? '';
    if (letter === '\\' && at + 1 < pattern.length) {
      at += 1;
      text += pattern[at] ?? '';
    } else if (/[*?[\]{}]/.test(letter)) return text.slice(0, text.lastIndexOf('/') + 1);
    else text += letter;
  }
  return text;
}
