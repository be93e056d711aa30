import type { Argument } from '../plan/expand.ts';
import type { SafeBuiltin } from './builtin.ts';

/** Escapes and directives that bash and dash read alike. `-v` would set a variable. */
const format =
  /^(?:[^%\\]|%%|\\[abfnrtv\\]|\\[0-7]{3}|%[-+ #0]*[0-9]*(?:\.[0-9]+)?[sdiuxXocfeEgG])*$/s;

/** Numbers that are no expressions, in a form that every shell takes. */
const plainNumber = /^-?(?:0|[1-9][0-9]{0,15})(?:\.[0-9]+)?$/;

/** `printf` with a plain format, or null where shells could differ or a variable would be set. */
export function planPrintf(args: readonly Argument[]): SafeBuiltin | 'file' | null {
  const [first, ...rest] = args[0]?.text === '--' ? args.slice(1) : args;
  if (first === undefined || first.live !== null || first.text.startsWith('-')) return null;
  if (!format.test(first.text)) return null;
  const directives = [...first.text.matchAll(/%[-+ #0]*[0-9]*(?:\.[0-9]+)?([a-zA-Z])/g)];
  const numeric = directives.some(([, letter]) => letter !== 's');
  if (numeric && rest.some((arg) => arg.live !== null || !plainNumber.test(arg.text))) {
    if (directives.some(([, letter]) => letter !== 's' && letter !== 'd')) return null;
    if (!matchesInTurn(directives, rest)) return null;
  }
  return { text: `printf ${[first, ...rest].map((arg) => arg.render).join(' ')}` };
}

/** With words and numbers mixed, each number must stand where a number is wanted. */
function matchesInTurn(
  directives: readonly RegExpMatchArray[],
  args: readonly Argument[],
): boolean {
  if (args.some((arg) => arg.live === 'pattern')) return false;
  return args.every((arg, index) => {
    const letter = directives[index % directives.length]?.[1];
    return letter === 's' || (arg.live === null ? plainNumber.test(arg.text) : true);
  });
}
