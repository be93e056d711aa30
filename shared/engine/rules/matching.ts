import type { Executable, Stage, StageEffects } from '../plan/types.ts';
import type { ToolInUse } from '../tools/types.ts';
import { onlyPrints } from '../programs/judge.ts';
import type { CompiledArgs, Words } from './args.ts';
import type { CompiledRule } from './compiled-rule.ts';
import { contentMiss, filesMiss, textMiss } from './content.ts';
import type { Glob } from './glob.ts';
import { coversVariables } from './variables.ts';

/** What a deny or ask rule is held against: a stage, one of its wrappers, or something it carries. */
interface Subject {
  readonly executable: Executable;
  /** The file of code that an interpreter is told to run. */
  readonly script: string | null;
  readonly words: Words;
  readonly cwd: string | null;
  readonly writes: readonly string[];
  readonly effects: StageEffects | null;
}

/** The words after the name of a stage. */
export function wordsOf(stage: Pick<Stage, 'argv' | 'globs'>): Words {
  const open = stage.globs.length === 0 ? none : new Set(stage.globs.map((index) => index - 1));
  return { values: stage.argv.slice(1), open };
}

const none: ReadonlySet<number> = new Set();

/** The stage itself, each wrapper around it, and everything it carries, however deep. */
export function subjectsOf(stage: Stage): readonly Subject[] {
  const { executable, script, cwd, writes, effects } = stage;
  const words = wordsOf(stage);
  const subjects: Subject[] = [{ executable, script, words, cwd, writes, effects }];
  for (const wrapper of stage.wrappers) {
    subjects.push({
      executable: wrapper.executable,
      script: null,
      words: { values: wrapper.argv.slice(1), open: none },
      cwd,
      writes: [],
      effects: null,
    });
  }
  for (const carried of stage.carries) subjects.push(...subjectsOf(carried));
  return subjects;
}

/** Last segment of a path, or the name itself. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Every path by which the program of a subject may be meant. */
export function pathsOf(executable: Executable): readonly string[] {
  if (executable.kind === 'tool') return [executable.target];
  if (executable.kind !== 'file') return executable.name.includes('/') ? [executable.name] : [];
  const { path, realPath, interpreter } = executable;
  return interpreter === null ? [realPath, path] : [realPath, path, interpreter];
}

/** Every name by which the program of a subject may be meant. */
export function namesOf(executable: Executable): readonly string[] {
  return [...new Set([baseName(executable.name), ...pathsOf(executable).map(baseName)])];
}

/** Where and when a rule is held against a command. */
export interface MatchContext {
  readonly kind: string;
  readonly host: string;
  readonly now: number;
  readonly hashFile: (path: string) => string | null;
  /** Level of the findings on the whole command, for rules that bound it. */
  readonly riskLevel: () => 'none' | 'low' | 'high';
}

/**
 * Whether a deny or ask rule holds for a subject. In doubt it does: by any name or path of the
 * program, for words that the shell still expands, and where a hash or folder cannot be known.
 */
export function touches(compiled: CompiledRule, subject: Subject, context: MatchContext): boolean {
  const { rule } = compiled;
  return (
    inForce(compiled, context) &&
    touchesProgram(compiled, subject) &&
    touchesArguments(compiled, subject) &&
    touchesWrites(compiled, subject) &&
    touchesDirectory(compiled, subject) &&
    touchesContent(rule.sha256, subject, context)
  );
}

/** Whether a deny or ask rule is for the program of a subject, whatever it says of its arguments. */
export function meansProgram(
  compiled: CompiledRule,
  subject: Subject,
  context: MatchContext,
): boolean {
  return inForce(compiled, context) && touchesProgram(compiled, subject);
}

/** The rule is for this kind of request and this host, and has not expired. */
function inForce({ rule }: CompiledRule, context: MatchContext): boolean {
  return (
    (rule.kind ?? 'exec') === context.kind &&
    (rule.host === undefined || rule.host === context.host) &&
    (rule.expiresAt === undefined || rule.expiresAt === null || context.now < rule.expiresAt)
  );
}

function touchesProgram(
  { pattern, isPath, rule, tool }: CompiledRule,
  { executable }: Subject,
): boolean {
  if (executable.kind === 'tool' && !touchesTool(tool(), executable.name)) return false;
  if (pattern.problem !== null || rule.pattern === '**') return true;
  if (executable.kind === 'tool') return pattern.matches(executable.target);
  if (!isPath) return namesOf(executable).some((name) => pattern.matches(name));
  if (pathsOf(executable).some((path) => pattern.matches(path))) return true;
  // A builtin or a program that is not there has no path: its name decides.
  if (executable.kind === 'file') return false;
  const name = baseName(executable.name);
  return pattern.literals?.some((literal) => baseName(literal) === name) ?? false;
}

/** A rule that names a tool holds for that tool; in doubt it holds. */
function touchesTool(tool: Glob | null, name: string): boolean {
  return tool === null || tool.problem !== null || tool.matches(name);
}

function touchesArguments(compiled: CompiledRule, { words, cwd }: Subject): boolean {
  if (compiled.args?.touches(words) === false) return false;
  if (compiled.argumentsProblem() !== null) return true;
  // A pattern over text that is still to be expanded proves nothing either way.
  return words.open.size > 0 || compiled.matchesArguments(words.values, cwd) !== false;
}

function touchesWrites(compiled: CompiledRule, { writes, effects }: Subject): boolean {
  if (compiled.rule.writes === undefined) return true;
  const paths = [...writes, ...changedBy(effects)];
  return compiled
    .writes()
    .some(
      (glob) => glob.problem !== null || paths.some((path) => path !== null && glob.matches(path)),
    );
}

/** What the arguments have the program change, as far as its record tells. */
function changedBy(effects: StageEffects | null): readonly (string | null)[] {
  return effects === null ? [] : [...effects.writes, ...effects.deletes, ...effects.into];
}

function touchesDirectory(compiled: CompiledRule, { cwd }: Subject): boolean {
  const glob = compiled.cwd();
  return glob === null || glob.problem !== null || cwd === null || glob.matches(cwd);
}

function touchesContent(
  wanted: string | undefined,
  { executable, script }: Subject,
  context: MatchContext,
): boolean {
  if (wanted === undefined || executable.kind !== 'file') return true;
  const files = script === null ? [executable.realPath] : [executable.realPath, script];
  const hashes = files.map((path) => context.hashFile(path));
  return hashes.includes(null) || hashes.includes(wanted);
}

/** Why an allow rule does not cover a stage. */
export const missReasons = [
  'broken',
  'program',
  'not-in-force',
  'more-than-reads',
  'arguments',
  'directory',
  'variables',
  'writes',
  'guarded',
  'reads',
  'never-trusted',
  'not-named',
  'not-spelled',
  'not-pinned',
  'changeable',
  'content',
  'code',
  'recipe',
  'files',
  'risk',
] as const;
export type MissReason = (typeof missReasons)[number];

/** Null when the allow rule covers the stage; else the first reason why not. In doubt it does not. */
export function missOf(
  compiled: CompiledRule,
  stage: Stage,
  context: MatchContext,
): MissReason | null {
  const { kind = 'exec', only } = compiled.rule;
  // A rule for edits says nothing of the file as a program.
  if (kind !== context.kind || !coversProgram(compiled, stage.executable)) return 'program';
  if (!inForce(compiled, context)) return 'not-in-force';
  if (isBroken(compiled)) return 'broken';
  if (stage.trust.level === 'never') return 'never-trusted';
  if (!coversArguments(compiled, stage)) return 'arguments';
  if (only !== undefined && !onlyReads(stage)) return 'more-than-reads';
  if (!coversDirectory(compiled, stage)) return 'directory';
  if (!coversVariables(compiled, stage)) return 'variables';
  if (!coversWrites(compiled, stage)) return 'writes';
  if (unnamed(compiled, stage)) return 'guarded';
  if (stage.trust.level === 'named' && !compiled.names()) return 'not-named';
  if (stage.trust.level === 'spelled' && !spellsOut(compiled, stage, stage.trust.words))
    return 'not-spelled';
  if (stage.trust.level === 'pinned' && !pinsEverything(compiled, stage)) return 'not-pinned';
  if (!coversReads(compiled, stage)) return 'reads';
  return (
    contentMiss(compiled, stage, context) ??
    textMiss(compiled, stage) ??
    filesMiss(compiled, stage) ??
    riskMiss(compiled, context)
  );
}

function onlyReads({ executable, argv, globs, trust, carries }: Stage): boolean {
  if (executable.kind !== 'file' || trust.level !== 'open' || carries.length > 0) return false;
  return namesOf(executable).every((name) => onlyPrints(name, argv.slice(1), globs));
}

function isBroken(compiled: CompiledRule): boolean {
  const parts = [compiled.pattern, compiled.tool(), compiled.args];
  const isOdd = parts.some((part) => (part?.problem ?? null) !== null);
  return isOdd || compiled.argumentsProblem() !== null;
}

/**
 * The real path decides. The path before symlinks counts only when it is written out in the rule
 * and all of the way is in the hands of the system's owner; a bare name only for a hit through PATH.
 */
function coversProgram(compiled: CompiledRule, executable: Executable): boolean {
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

/**
 * A rule that says what may be written holds for the arguments too, any other for redirections only.
 */
function coversWrites(compiled: CompiledRule, { writes, effects }: Stage): boolean {
  const named = compiled.rule.writes === undefined ? null : effects;
  const into = (named?.into ?? []).every(
    (path) => path !== null && compiled.into().some((glob) => glob.matches(path)),
  );
  if (!into) return false;
  return [...writes, ...(named?.writes ?? []), ...(named?.deletes ?? [])].every(
    (path) => path !== null && compiled.writes().some((glob) => glob.matches(path)),
  );
}

/**
 * A wildcard never reaches a place that steers, is secret, runs later or is Interlock's own: the rule
 * names it. Arguments that lead where something runs later are pinned already.
 */
function unnamed(compiled: CompiledRule, { guarded, executable }: Stage): boolean {
  const kind = executable.kind === 'tool' ? 'tool' : 'program';
  return guarded.some(
    (use) =>
      !(use.placement.place === 'runs-later' && use.word !== null) &&
      !compiled.namesGuarded(use, kind),
  );
}

/** The rule says by itself what the command changes: these arguments stand in it, and no pattern. */
function spellsOut({ rule, args }: CompiledRule, stage: Stage, asked: readonly number[]): boolean {
  // A script that the rule holds by what it says is as good as written out.
  const { digest = '', name } = stage.recipe ?? {};
  const held = rule.scripts?.includes(digest) === true ? stage.argv.indexOf(name ?? '') - 1 : -1;
  const words = asked.filter((word) => word !== held);
  if (args !== null && words.every((word) => args.fixes(word))) return true;
  if (rule.argPattern === undefined || stage.globs.length > 0) return false;
  if (isExactExpression(rule.argPattern, stage.argv)) return true;
  const start = stage.argv.slice(1, 2 + Math.max(-1, ...words));
  return startsWithWords(rule.argPattern, start);
}

/** `^push .*`: the expression begins with these words as they are. */
function startsWithWords(pattern: string, words: readonly string[]): boolean {
  const literal = /^\^((?:[^\\^$.*+?()[\]{}|]|\\[^\dA-Za-z])*)(?![*?+{])/.exec(pattern)?.[1];
  if (literal === undefined || pattern.includes('|') || pattern.includes('\0')) return false;
  const text = `${literal.replaceAll(/\\(.)/gs, '$1')} `;
  return words.every((word) => !/\s/.test(word)) && text.startsWith(`${words.join(' ')} `);
}

/** Its arguments can make the program run anything, so each one must be written out in the rule. */
function pinsEverything(compiled: CompiledRule, stage: Stage): boolean {
  const { rule, args } = compiled;
  if (stage.reads.length > 0 || stage.globs.length > 0) return false;
  // What lies in the folder decides, and the rule holds for other folders as well.
  const { trust } = stage;
  if (trust.level === 'pinned' && trust.folder === true && !compiled.cwd()?.literals) return false;
  if (args?.pinned === true) return true;
  if (mayTakeAnything({ rule, args }, stage)) return true;
  const leading = leadingArguments(stage);
  if (leading !== null && args !== null && fixesAll(args, leading, stage)) return true;
  return rule.argPattern !== undefined && isExactExpression(rule.argPattern, stage.argv);
}

/** Whether each of so many words is written out, save those that only choose parts of a project. */
function fixesAll(args: CompiledArgs, leading: number, { trust }: Stage): boolean {
  if (args.fixedStart >= leading) return true;
  const parts = trust.level === 'pinned' ? (trust.parts ?? []) : [];
  const words = Array.from({ length: leading }, (_, at) => at);
  return parts.length > 0 && words.every((at) => parts.includes(at) || args.fixes(at));
}

/** Interpreters that hand everything behind the script to the script. */
export const handsOn =
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
  const most = Math.max(...carries.map((one) => leadingWithin(one) ?? Infinity));
  return most === Infinity ? null : trust.leading + most;
}

/** The same for what it runs (`uv run python -m pytest`), which may have to be named itself. */
function leadingWithin(inner: Stage): number | null {
  if (inner.wrappers.length > 0) return null;
  const open = inner.trust.level === 'open' || inner.trust.level === 'named';
  return open && inner.carries.length === 0 ? 0 : leadingArguments(inner);
}

/** `^…$` without an operator; words with spaces would make the joined text ambiguous. */
function isExactExpression(pattern: string, argv: readonly string[]): boolean {
  if (pattern.startsWith('sha256:')) return true;
  const exact = /^\^(?:[^\\^$.*+?()[\]{}|]|\\[^\dA-Za-z])*\$$/.test(pattern);
  return exact && argv.slice(1).every((word) => pattern.includes('\0') || !/\s/.test(word));
}

/**
 * What a redirection reads is as good as an argument: a rule that holds the arguments down lets it
 * read only below the working directory.
 */
function coversReads({ rule, args }: CompiledRule, { reads, cwd }: Stage): boolean {
  if (reads.length === 0 || (args === null && rule.argPattern === undefined)) return true;
  if (args?.rest === true) return true;
  return reads.every((path) => cwd !== null && path.startsWith(`${cwd}/`));
}

function riskMiss({ rule }: CompiledRule, context: MatchContext): MissReason | null {
  if (rule.maxRisk === undefined) return null;
  const level = context.riskLevel();
  const within = level === 'none' || (level === 'low' && rule.maxRisk === 'low');
  return within ? null : 'risk';
}
