import type { Dialect } from '../../parse/read.ts';
import { quoteWord } from '../../parse/shell-quote.ts';
import type { RenderedArgument } from '../expand.ts';
import type { SafeBuiltin } from './builtin.ts';

/** Escapes that `echo -e`, and the format of `printf`, understand alike. */
const letters: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  e: '\u001b',
  E: '\u001b',
};

/**
 * The text that bash's `echo -e` prints, or null where that depends on the locale or ends the
 * output early.
 */
function decodeEcho(text: string): string | null {
  let decoded = '';
  for (let at = 0; at < text.length; at++) {
    const c = text[at] ?? '';
    if (c !== '\\') {
      decoded += c;
      continue;
    }
    const next = text[at + 1];
    if (next === undefined) return `${decoded}\\`;
    const known = Object.hasOwn(letters, next) ? letters[next] : undefined;
    if (known !== undefined) {
      decoded += known;
      at++;
      continue;
    }
    if ('0xuUc'.includes(next)) {
      const match = /^\\(?:0([0-7]{1,3})|x([0-9A-Fa-f]{1,2}))/.exec(text.slice(at, at + 5));
      if (match === null) return null;
      const code =
        match[1] === undefined ? Number.parseInt(match[2] ?? '', 16) : Number.parseInt(match[1], 8);
      if (code === 0 || code > 0x7f) return null;
      decoded += String.fromCharCode(code);
      at += match[0].length - 1;
      continue;
    }
    decoded += `\\${next}`;
    at++;
  }
  return decoded;
}

/**
 * `echo` as bash does it. Shells differ in what they make of backslashes and options, so its text
 * is worked out here and printed by `printf`. A pattern leaves it to the program of that name.
 */
export function planEcho(
  args: readonly RenderedArgument[],
  dialect: Dialect,
): SafeBuiltin | 'file' | null {
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
  if (words.some(isLoose)) {
    const isPlain =
      at === 0 &&
      dialect === 'bash' &&
      words.every(({ text, live }) => live !== null || !/^-|\\/.test(text));
    return isPlain ? { text: `echo ${words.map((word) => word.render).join(' ')}` } : null;
  }
  const format = newline ? '%s\\n' : '%s';
  if (words.some((word) => word.live !== null)) {
    // What backslashes in a text mean that nobody knows is for the shell to say.
    const unknown = words.some((word) => word.live !== 'status' && word.live !== null);
    if (unknown && (escapes || dialect === 'posix')) return null;
    if (escapes && words.some((word) => word.text.includes('\\'))) return null;
    const render = words.map((word) => word.render).join("' '");
    return { text: `printf ${quoteWord(format)} ${render}` };
  }
  const plain = words.map((word) => word.text).join(' ');
  const text = escapes ? decodeEcho(plain) : plain;
  return text === null ? null : { text: `printf ${quoteWord(format)} ${quoteWord(text)}` };
}

/** What a command prints, not in quotes: the shell makes any number of words of it. */
function isLoose({ live, render }: RenderedArgument): boolean {
  return live === 'output' && render.startsWith('$');
}

/** Escapes and directives that bash and dash read alike. `-v` would set a variable. */
const format =
  /^(?:[^%\\]|%%|\\[abfnrtv\\]|\\[0-7]{3}|%[-+ #0]*[0-9]*(?:\.[0-9]+)?[sdiuxXocfeEgG])*$/s;

/** Numbers that are not expressions, in a form that every shell takes. */
const plainNumber = /^-?(?:0|[1-9][0-9]{0,15})(?:\.[0-9]+)?$/;

/** `printf` with a plain format, or null where shells could differ or a variable would be set. */
export function planPrintf(args: readonly RenderedArgument[]): SafeBuiltin | 'file' | null {
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
  args: readonly RenderedArgument[],
): boolean {
  if (args.some((arg) => arg.live === 'pattern')) return false;
  return args.every((arg, index) => {
    const letter = directives[index % directives.length]?.[1];
    if (letter === 's') return true;
    return arg.live === 'status' || (arg.live === null && plainNumber.test(arg.text));
  });
}
