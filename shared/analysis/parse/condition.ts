import { opaque } from './opaque.ts';
import { skipBlanks, type Source } from './source.ts';
import type { SimpleCommand, Word } from './syntax.ts';
import { readWord, unquotedText } from './word.ts';

/** Operators that evaluate nothing and that `[` knows with the same meaning. */
const unary = /^-[efdrwxsLhznpSbcugk]$/;
const binary = /^(?:==?|!=|-nt|-ot|-ef)$/;

/** Patterns, a tilde, and what only looks like braces: `[[` treats them in its own way. */
const special = /[*?[\]{}~]/;

/**
 * Reads `[[ … ]]` from behind its first word as the `[ … ]` that says the same: one operator at
 * most, written without quotes, and literal operands. Arithmetic operators, `-v`, `=~`, patterns
 * and anything joined with `&&` or `||` stay opaque.
 */
export function readCondition(source: Source, opening: Word): SimpleCommand {
  const { start } = opening;
  const words: Word[] = [];
  for (;;) {
    skipBlanks(source);
    const c = source.text[source.at];
    if (c === undefined) throw opaque('syntax-error', 'A `[[` has no end.', start, source.at);
    if ('\n|&;()<>#'.includes(c)) throw beyond(start, source.at);
    const word = readWord(source);
    if (unquotedText(word) === ']]') {
      source.bashOnly = true;
      checkForm(words, start, source.at);
      const bracket = (text: string, at: Word): Word => ({
        pieces: [{ kind: 'text', text, quoted: true }],
        start: at.start,
        end: at.end,
      });
      const all = [bracket('[', opening), ...words, bracket(']', word)];
      return { kind: 'simple', assignments: [], redirects: [], words: all, start, end: source.at };
    }
    words.push(word);
  }
}

function checkForm(words: readonly Word[], start: number, end: number): void {
  const negated = words.length > 1 && words[0] !== undefined && unquotedText(words[0]) === '!';
  const [first, second, third, more] = negated ? words.slice(1) : words;
  if (first === undefined || more !== undefined) throw beyond(start, end);
  const operands = second === undefined ? [first] : third === undefined ? [second] : [first, third];
  const operator = second === undefined ? null : third === undefined ? first : second;
  const known = third === undefined ? unary : binary;
  const understood = operator === null || known.test(unquotedText(operator) ?? '');
  if (!understood || operands.some(isSpecial)) throw beyond(start, end);
}

function isSpecial({ pieces }: Word): boolean {
  return pieces.some((piece) => piece.kind === 'text' && !piece.quoted && special.test(piece.text));
}

function beyond(start: number, end: number): Error {
  return opaque(
    'unsupported-syntax',
    'A `[[ … ]]` condition is not understood: it can evaluate arithmetic and patterns.',
    start,
    end,
  );
}
