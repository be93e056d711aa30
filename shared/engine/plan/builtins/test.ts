import type { RenderedArgument } from '../expand.ts';
import type { Variables } from '../shell-state.ts';
import type { SafeBuiltin } from './builtin.ts';

/** A word that is the status of a command and nothing else: `$?`, or a variable that holds one. */
function isStatus({ live, text }: RenderedArgument): boolean {
  return live === 'status' && /^\$(?:\?|[A-Za-z_][A-Za-z0-9_]*)$/.test(text);
}

/** `exit` with nothing or with a status. */
export function isSafeExit(args: readonly RenderedArgument[]): boolean {
  const [status] = args;
  if (status === undefined) return true;
  return (
    args.length === 1 &&
    (status.live === 'status'
      ? isStatus(status)
      : /^(?:[0-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])$/.test(status.text))
  );
}

/** `set` with options that only make a shell stop earlier or say what it does. */
export function isPlainSet(args: readonly RenderedArgument[], hasPipefail: boolean): boolean {
  if (args.length === 0) return false;
  for (let at = 0; at < args.length; at++) {
    const word = args[at];
    if (word === undefined || word.live !== null || !/^[-+][eux]*o?$/.test(word.text)) return false;
    if (word.text.length === 1) return false;
    if (!word.text.endsWith('o')) continue;
    const name = args[++at]?.text ?? '';
    if (!['errexit', 'nounset', 'pipefail', 'xtrace'].includes(name)) return false;
    if (name === 'pipefail' && !hasPipefail) return false;
  }
  return true;
}

/** Names to look up, without options. */
export function isSafeLookup(args: readonly RenderedArgument[]): boolean {
  return (
    args.length > 0 &&
    args.every(
      (arg) =>
        arg.live === null && /^[A-Za-z0-9_./+-]+$/.test(arg.text) && !arg.text.startsWith('-'),
    )
  );
}

/** `kill` on jobs of this very command, with no signal or one by its name. */
export function isOwnJob(args: readonly RenderedArgument[]): boolean {
  const plain = args.every(({ live }) => live === null);
  return (
    plain &&
    /^(?:-(?:TERM|INT|KILL|HUP|9|15) )?%[1-9]$/.test(args.map(({ text }) => text).join(' '))
  );
}

/** `kill` on what the command itself has left to run: `$!`, or a variable that holds it. */
export function isOwnProcess(args: readonly RenderedArgument[], variables: Variables): boolean {
  const words = args.filter(
    ({ text, live }, at) =>
      !(at === 0 && live === null && /^-(?:TERM|INT|KILL|HUP|9|15)$/.test(text)),
  );
  return (
    words.length > 0 &&
    words.every(({ text, live }) => {
      if (live !== 'status') return false;
      const held = variables.get(text.slice(1));
      return text === '$!' || (held?.certain === true && held.possible.join(' ') === '$!');
    })
  );
}

/** `kill` on process numbers, which the program of that name does as well; jobs are the shell's. */
export function isSafeKill(args: readonly RenderedArgument[]): boolean {
  return (
    args.length > 0 && args.every((arg) => arg.live === null && /^-?[A-Za-z0-9]+$/.test(arg.text))
  );
}

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
export function planTest(name: string, args: readonly RenderedArgument[]): SafeBuiltin | null {
  if (args.some((arg) => arg.live === 'pattern' || arg.live === 'process')) return null;
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

function renderCondition(operands: readonly RenderedArgument[]): string[] | null {
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
    (one) =>
      isStatus(one) || one.live === 'output' || (one.live === null && plainNumber.test(one.text)),
  );
  return plain ? [left.render, middle.render, right.render] : null;
}

/** Words that a shell may read as an operator in this place. */
function ambiguous({ text }: RenderedArgument): boolean {
  return text === '(' || text === ')' || text === '!' || /^-[A-Za-z]/.test(text);
}
