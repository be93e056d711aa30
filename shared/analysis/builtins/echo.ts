import { quoteWord } from '../quote.ts';
import type { Dialect } from '../parse/read.ts';
import type { Argument } from '../plan/expand.ts';
import type { SafeBuiltin } from './builtin.ts';
import { decodeEcho } from './escapes.ts';

/**
 * `echo` as bash does it. Shells differ in what they make of backslashes and options, so its text
 * is worked out here and printed by `printf`. A pattern leaves it to the program of that name.
 */
export function planEcho(args: readonly Argument[], dialect: Dialect): SafeBuiltin | 'file' | null {
  if (args.some((arg) => arg.live === 'pattern')) return 'file';
  if (dialect === 'posix' && args.some((arg) => /^-[eEn]*[eE]|\\/.test(arg.text))) return null;
  let at = 0;
  let newline = true;
  let escapes = false;
  for (; /^-[neE]+$/.test(args[at]?.text ?? ''); at++) {
    for (const letter of args[at]?.text.slice(1) ?? '') {
      if (letter === 'n') newline = false;
      else escapes = letter === 'e';
    }
  }
  const words = args.slice(at);
  const format = newline ? '%s\\n' : '%s';
  if (words.some((word) => word.live !== null)) {
    if (escapes && words.some((word) => word.text.includes('\\'))) return null;
    const render = words.map((word) => word.render).join("' '");
    return { text: `printf ${quoteWord(format)} ${render}` };
  }
  const plain = words.map((word) => word.text).join(' ');
  const text = escapes ? decodeEcho(plain) : plain;
  return text === null ? null : { text: `printf ${quoteWord(format)} ${quoteWord(text)}` };
}
