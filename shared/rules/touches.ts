import type { CompiledRule } from './compiled-rule.ts';
import type { Glob } from './glob.ts';
import { baseName, namesOf, pathsOf } from './subject.ts';
import type { Subject } from './subject.ts';

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

/** The rule is for this kind of request and this host, and has not expired. */
export function inForce({ rule }: CompiledRule, context: MatchContext): boolean {
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

function touchesWrites(compiled: CompiledRule, { writes }: Subject): boolean {
  if (compiled.rule.writes === undefined) return true;
  return compiled
    .writes()
    .some((glob) => glob.problem !== null || writes.some((path) => glob.matches(path)));
}

function touchesDirectory(compiled: CompiledRule, { cwd }: Subject): boolean {
  const glob = compiled.cwd();
  return glob === null || glob.problem !== null || cwd === null || glob.matches(cwd);
}

function touchesContent(
  sha256: string | undefined,
  { executable, script }: Subject,
  context: MatchContext,
): boolean {
  if (sha256 === undefined || executable.kind !== 'file') return true;
  const files = script === null ? [executable.realPath] : [executable.realPath, script];
  const hashes = files.map((path) => context.hashFile(path));
  return hashes.includes(null) || hashes.includes(sha256);
}
