import type { Stage } from '../analysis/types.ts';
import type { ArgToken } from '../policy/types.ts';
import { restToken } from '../rules/args.ts';
import { nameOf } from './stage-rules.ts';
import type { NewRule } from './stage-rules.ts';
import { toolClause } from './tool-rules.ts';

/** What the rules of a proposal would match, for a person: one clause for each stage. */
export function sentenceFor(
  chosen: readonly { readonly stage: Stage; readonly rule: NewRule }[],
): string {
  const clauses = [...new Set(chosen.map(({ stage, rule }) => clause(stage, rule)))];
  return `Allow ${clauses.join('; and ')}.`;
}

function clause(stage: Stage, rule: NewRule): string {
  const bounds = [
    rule.cwd === undefined ? '' : ` in ${stage.cwd}${rule.cwd.endsWith('/**') ? ' and below' : ''}`,
    rule.writes === undefined ? '' : `, writing ${stage.writes.join(', ')}`,
    rule.sha256 === undefined ? '' : ', as long as the program itself does not change',
    rule.maxRisk === undefined ? '' : ', unless it looks dangerous',
  ];
  const { executable } = stage;
  const allowed = executable.kind === 'tool' ? toolClause(executable, rule) : what(stage, rule);
  return `${allowed}${bounds.join('')}`;
}

function what(stage: Stage, { args }: NewRule): string {
  const name = nameOf(stage);
  if (args === undefined) return `${name} with any arguments`;
  if (args.at(-1) === restToken) {
    return `"${[name, ...stage.argv.slice(1, args.length)].join(' ')}" with any further arguments`;
  }
  const words = stage.argv.slice(1);
  const swapped = args.map((token, index) => fileWords(token, words[index] ?? ''));
  const shown = swapped.map((swap, index) => swap ?? words[index] ?? '');
  const isExact = swapped.every((swap) => swap === null);
  return isExact ? `exactly "${[name, ...words].join(' ')}"` : `"${[name, ...shown].join(' ')}"`;
}

/** A token that stands for other files, in words; null for one that is written out. */
function fileWords(token: ArgToken, word: string): string | null {
  if (token === '[!-]**') return '‹any file below the folder›';
  if (typeof token !== 'string' || !token.endsWith('/*')) return null;
  return `‹any file in ${word.slice(0, word.lastIndexOf('/')) || '/'}›`;
}
