import { sha256 } from '../../base/index.ts';
import type { Stage } from '../plan/types.ts';
import { isSystemPath } from '../programs/deciding.ts';
import type { CompiledRule } from './compiled-rule.ts';
import type { MatchContext, MissReason } from './matching.ts';

/**
 * A program that an agent can change is covered only by its exact path and its content. Where an
 * interpreter is told which file to run, the hash is that file's.
 */
export function contentMiss(
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

/** What an answer to an ask made, of the words of that ask. */
export const madeByAnswer: ReadonlySet<string> = new Set(['grant', 'allow-always']);

/**
 * A rule that an answer made of exact words is held to what the files said that these words go by.
 * Who writes such words by hand means whatever the files say.
 */
export function filesMiss(
  { rule, args }: CompiledRule,
  { files, trust }: Stage,
): MissReason | null {
  if (rule.files !== undefined) return rule.files === files?.digest ? null : 'files';
  if (files === undefined || !madeByAnswer.has(rule.source ?? '')) return null;
  return trust.level === 'pinned' || args?.pinned === true ? 'files' : null;
}

/**
 * Code in the command is covered by its digest alone, save where all that it does was read; so is a
 * script of a package, where a rule has some.
 */
export function textMiss(
  { rule }: CompiledRule,
  { code, isCodeRead, recipe }: Stage,
): MissReason | null {
  const given = code === undefined ? undefined : sha256(code);
  const isTold = rule.code === undefined && isCodeRead === true;
  if (given !== rule.code && !isTold) return 'code';
  if (rule.scripts === undefined) return null;
  return recipe !== undefined && rule.scripts.includes(recipe.digest) ? null : 'recipe';
}
