import type { Argument } from '../plan/expand.ts';
import type { SafeBuiltin } from './builtin.ts';
import { isStatus } from './small.ts';

/** Look at a file or a text and evaluate nothing. `-v`, `-R` and `-o` look up names, and `-v` runs subscripts. */
const unary: ReadonlySet<string> = new Set(
  'efdrwxsLhznpSbcugk'.split('').map((letter) => `-${letter}`),
);
const texts: ReadonlySet<string> = new Set(['=', '==', '!=']);
const numbers: ReadonlySet<string> = new Set(['-eq', '-ne', '-lt', '-le', '-gt', '-ge']);
const files: ReadonlySet<string> = new Set(['-nt', '-ot', '-ef']);

/** In some shells the operands of numeric comparisons are expressions; these are numbers. */
const plainNumber = /^-?[0-9]{1,18}$/;

/**
 * `test` and `[` with at most one operator from the lists above, optionally negated, and operands
 * that no shell can take for operators; null otherwise.
 */
export function planTest(name: string, args: readonly Argument[]): SafeBuiltin | null {
  if (args.some((arg) => arg.live === 'pattern')) return null;
  let operands = args;
  if (name === '[') {
    const last = args.at(-1);
    if (last?.text !== ']' || last.live !== null) return null;
    operands = args.slice(0, -1);
  }
  const negated = operands.length > 1 && operands[0]?.text === '!';
  const condition = renderCondition(negated ? operands.slice(1) : operands);
  if (condition === null) return null;
  const text = [...(negated ? ["'!'"] : []), ...condition].join(' ');
  return { text: name === '[' ? `[ ${text} ]` : `test ${text}` };
}

function renderCondition(operands: readonly Argument[]): string[] | null {
  const [left, middle, right] = operands;
  if (left === undefined || operands.length > 3) return null;
  if (middle === undefined)
    return left.text.startsWith('-') || left.text === '!' ? null : [left.render];
  if (right === undefined) {
    if (!unary.has(left.text) || left.live !== null) return null;
    return [left.render, middle.render];
  }
  if (middle.live !== null || ambiguous(left) || ambiguous(right)) return null;
  if (texts.has(middle.text)) {
    const operator = middle.text === '==' ? '=' : middle.text;
    return [left.render, `'${operator}'`, right.render];
  }
  if (files.has(middle.text)) return [left.render, middle.render, right.render];
  if (!numbers.has(middle.text)) return null;
  const plain = [left, right].every(
    (one) => isStatus(one) || (one.live === null && plainNumber.test(one.text)),
  );
  return plain ? [left.render, middle.render, right.render] : null;
}

/** Words that a shell may read as an operator in this place. */
function ambiguous({ text }: Argument): boolean {
  return text === '(' || text === ')' || text === '!' || /^-[A-Za-z]/.test(text);
}
