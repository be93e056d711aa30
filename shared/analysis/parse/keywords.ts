import { opaque } from './opaque.ts';
import type { Word } from './syntax.ts';
import type { OpaqueReason } from '../types.ts';

/** Words that begin or continue a construct when they stand where a command may begin. */
const keywords: ReadonlyMap<string, readonly [OpaqueReason, string]> = new Map<
  string,
  readonly [OpaqueReason, string]
>([
  ['if', ['control-flow', 'Whether a command runs depends on a condition.']],
  ['then', ['control-flow', 'Whether a command runs depends on a condition.']],
  ['else', ['control-flow', 'Whether a command runs depends on a condition.']],
  ['elif', ['control-flow', 'Whether a command runs depends on a condition.']],
  ['fi', ['control-flow', 'Whether a command runs depends on a condition.']],
  ['case', ['control-flow', 'Whether a command runs depends on a condition.']],
  ['in', ['syntax-error', 'An `in` stands alone.']],
  ['esac', ['control-flow', 'Whether a command runs depends on a condition.']],
  ['for', ['control-flow', 'Commands run in a loop.']],
  ['select', ['control-flow', 'Commands run in a loop.']],
  ['while', ['control-flow', 'Commands run in a loop.']],
  ['until', ['control-flow', 'Commands run in a loop.']],
  ['do', ['control-flow', 'Commands run in a loop.']],
  ['done', ['control-flow', 'Commands run in a loop.']],
  ['[[', ['unsupported-syntax', 'A `[[ … ]]` condition can evaluate arithmetic.']],
  [']]', ['syntax-error', 'A `]]` stands alone.']],
  ['}', ['syntax-error', 'A `}` stands alone.']],
  ['function', ['function-definition', 'A function is defined.']],
  ['coproc', ['background', 'A command runs in the background.']],
]);

/** Why `text` cannot begin a simple command, or null. */
export function keywordError(text: string, word: Word): Error | null {
  const found = keywords.get(text);
  return found ? opaque(found[0], found[1], word.start, word.end) : null;
}

/** Whether a shell might read the word as a keyword. */
export function isKeyword(text: string): boolean {
  return keywords.has(text) || text === '{' || text === '!' || text === 'time';
}
