import type { Executable, Stage } from '../analysis/types.ts';
import type { ToolInUse } from '../tools/types.ts';
import { isInterlocks, runsLater } from '../analysis/carriers/writes/places.ts';
import { credentialPath } from '../risk/credential-paths.ts';
import type { CompiledRule } from './compiled-rule.ts';
import { wordsOf } from './subject.ts';
import { inForce } from './touches.ts';
import type { MatchContext } from './touches.ts';

/** Why an allow rule does not cover a stage. */
export const missReasons = [
  'broken',
  'program',
  'not-in-force',
  'arguments',
  'directory',
  'writes',
  'reads',
  'never-trusted',
  'not-named',
  'not-pinned',
  'changeable',
  'content',
  'risk',
] as const;
export type MissReason = (typeof missReasons)[number];

/** Null when the allow rule covers the stage; else the first reason why not. In doubt it does not. */
export function missOf(
  compiled: CompiledRule,
  stage: Stage,
  context: MatchContext,
): MissReason | null {
  if (!coversProgram(compiled, stage.executable)) return 'program';
  if (!inForce(compiled, context)) return 'not-in-force';
  if (isBroken(compiled)) return 'broken';
  if (stage.trust.level === 'never') return 'never-trusted';
  if (!coversArguments(compiled, stage)) return 'arguments';
  if (!coversDirectory(compiled, stage)) return 'directory';
  if (!coversWrites(compiled, stage)) return 'writes';
  if (stage.trust.level === 'named' && !compiled.names()) return 'not-named';
  if (stage.trust.level === 'pinned' && !pinsEverything(compiled, stage)) return 'not-pinned';
  if (!coversReads(compiled, stage)) return 'reads';
  return contentMiss(compiled, stage, context) ?? riskMiss(compiled, context);
}

function isBroken(compiled: CompiledRule): boolean {
  return (
    compiled.pattern.problem !== null ||
    (compiled.tool()?.problem ?? null) !== null ||
    (compiled.args?.problem ?? null) !== null ||
    compiled.argumentsProblem() !== null
  );
}

/**
 * The real path decides. The path before symlinks counts only when it is written out in the rule
 * and all of the way is in the hands of the system's owner; a bare name only for a hit through PATH.
 */
export function coversProgram(compiled: CompiledRule, executable: Executable): boolean {
  const { pattern, isPath, rule } = compiled;
  if (executable.kind === 'missing') return false;
  if (executable.kind === 'tool') return coversTool(compiled, executable);
  if (executable.kind === 'builtin') {
    return rule.pattern === '**' || (!isPath && pattern.matches(executable.name));
  }
  const { path, realPath, foundBy, name } = executable;
  if (!isPath) return foundBy === 'path' && executable.trusted && pattern.matches(name);
  if (rule.pattern === '**' || pattern.matches(realPath)) return true;
  return executable.trusted && pattern.literals !== null && pattern.matches(path);
}

/** The target decides, and the tool where the rule names one. */
function coversTool({ pattern, rule, tool }: CompiledRule, { name, target }: ToolInUse): boolean {
  if (rule.pattern !== '**' && !pattern.matches(target)) return false;
  return tool()?.matches(name) ?? true;
}

function coversArguments(compiled: CompiledRule, stage: Stage): boolean {
  const words = wordsOf(stage);
  if (compiled.args?.covers(words) === false) return false;
  if (compiled.rule.argPattern === undefined) return true;
  return words.open.size === 0 && compiled.matchesArguments(words.values, stage.cwd) === true;
}

function coversDirectory(compiled: CompiledRule, { cwd }: Stage): boolean {
  const glob = compiled.cwd();
  return glob === null || (cwd !== null && glob.matches(cwd));
}

/** A wildcard never reaches a place from which something runs later: such a file is written out. */
function coversWrites(compiled: CompiledRule, { writes }: Stage): boolean {
  return writes.every((path) =>
    compiled
      .writes()
      .some(
        (glob) => glob.matches(path) && (glob.literals !== null || runsLater(path, true) === null),
      ),
  );
}

/** Its arguments can make the program run anything, so each one must be written out in the rule. */
function pinsEverything({ rule, args }: CompiledRule, stage: Stage): boolean {
  if (stage.reads.length > 0 || stage.globs.length > 0) return false;
  if (args?.pinned === true) return true;
  if (mayTakeAnything({ rule, args }, stage)) return true;
  const leading = leadingArguments(stage);
  if (leading !== null && args !== null && args.fixedStart >= leading) return true;
  return rule.argPattern !== undefined && isExactExpression(rule.argPattern, stage.argv);
}

/** Interpreters that hand everything behind the script to the script. */
const handsOn =
  /\/(?:python|pypy|node|ruby|perl|php|lua|bash|dash|zsh|ksh|tsx|Rscript|tclsh)[\d.]*$/;

/**
 * A script that a rule names first and by its content is a program like any other: what it makes of
 * its arguments stands in it. With options in front it would not be sure which word the script is.
 */
function mayTakeAnything(
  { rule, args }: Pick<CompiledRule, 'rule' | 'args'>,
  { executable, script, trust }: Stage,
): boolean {
  if (executable.kind !== 'file' || script === null || rule.sha256 === undefined) return false;
  if (trust.level !== 'pinned' || trust.leading !== 1 || !handsOn.test(executable.realPath))
    return false;
  return args !== null && args.fixedStart >= 1;
}

/**
 * How many arguments of a pinned stage decide what it runs, so that the later ones may stay open;
 * null where each must be written out. The program that they name must be one that a rule could
 * leave open by itself: neither an interpreter nor a wrapper, and with no dangerous option.
 */
export function leadingArguments({ trust, carries, globs, reads }: Stage): number | null {
  if (trust.level !== 'pinned' || trust.leading === undefined) return null;
  if (carries.length === 0 || globs.length > 0 || reads.length > 0) return null;
  const plain = carries.every(
    (inner) =>
      (inner.trust.level === 'open' || inner.trust.level === 'named') &&
      inner.wrappers.length === 0 &&
      inner.carries.length === 0,
  );
  return plain ? trust.leading : null;
}

/** `^…$` without a single operator; words with spaces would make the joined text ambiguous. */
function isExactExpression(pattern: string, argv: readonly string[]): boolean {
  if (pattern.startsWith('sha256:')) return true;
  const exact = /^\^(?:[^\\^$.*+?()[\]{}|]|\\[^\dA-Za-z])*\$$/.test(pattern);
  return exact && argv.slice(1).every((word) => pattern.includes('\0') || !/\s/.test(word));
}

/**
 * What a redirection reads is as good as an argument: a rule that holds the arguments down lets it
 * read only below the working directory, and no credentials.
 */
function coversReads({ rule, args }: CompiledRule, { reads, cwd }: Stage): boolean {
  if (reads.some(isInterlocks)) return false;
  if (reads.length === 0 || (args === null && rule.argPattern === undefined)) return true;
  if (args?.rest === true) return true;
  return reads.every(
    (path) => cwd !== null && path.startsWith(`${cwd}/`) && credentialPath(path) === null,
  );
}

/**
 * A program that an agent can change is covered only by its exact path and its content. Where an
 * interpreter is told which file to run, the hash is that file's.
 */
function contentMiss(
  { rule, pattern }: CompiledRule,
  { executable, script }: Stage,
  context: MatchContext,
): MissReason | null {
  if (executable.kind !== 'file') return null;
  if (executable.agentWritable && script !== null) return 'changeable';
  const changeable = script === null ? executable.agentWritable : !isSystemPath(script);
  if (changeable && (rule.sha256 === undefined || pattern.literals === null)) return 'changeable';
  if (rule.sha256 === undefined) return null;
  const hash = context.hashFile(script ?? executable.realPath);
  return hash === rule.sha256 ? null : 'content';
}

/** Below the directories that only packages and the administrator write. */
function isSystemPath(path: string): boolean {
  return (
    /^\/(?:usr|bin|sbin|lib|lib64|opt|nix\/store|System)\//.test(path) &&
    !path.startsWith('/usr/local/')
  );
}

function riskMiss({ rule }: CompiledRule, context: MatchContext): MissReason | null {
  if (rule.maxRisk === undefined) return null;
  const level = context.riskLevel();
  const within = level === 'none' || (level === 'low' && rule.maxRisk === 'low');
  return within ? null : 'risk';
}
