import type { Surroundings } from '../analysis/types.ts';
import type { Rule, RuleEffect } from '../policy/types.ts';
import { argumentDigest, argumentText, digestOfArguments } from './argument-text.ts';
import { compileArgs } from './args.ts';
import type { CompiledArgs } from './args.ts';
import { expandBraces } from './braces.ts';
import { compileGlob } from './glob.ts';
import type { Glob } from './glob.ts';
import { compileRegex } from './regex.ts';
import type { LinearRegex } from './regex.ts';

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
  readonly cwd: () => Glob | null;
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
    cwd: once(() => (rule.cwd === undefined ? null : directoryGlob(rule.cwd, options))),
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

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}
