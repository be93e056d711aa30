import { opaque } from './opaque.ts';
import type { Source } from './source.ts';

const simple: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\u0007',
  b: '\b',
  e: '\u001b',
  E: '\u001b',
  f: '\f',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '?': '?',
};

const numbered = /(?:x([0-9A-Fa-f]{1,2})|([0-7]{1,3})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8}))/y;

/**
 * Reads `$'…'` from behind its opening quote and moves past the closing one. Only what means the
 * same in every locale is decoded: ASCII, and no NUL, which would cut the word short.
 */
export function readAnsiC(source: Source): string {
  const { text } = source;
  const start = source.at;
  let decoded = '';
  for (;;) {
    const c = text[source.at];
    if (c === undefined) throw opaque('syntax-error', "A $'…' has no end.", start - 2);
    source.at++;
    if (c === "'") return decoded;
    if (c !== '\\') {
      decoded += c;
      continue;
    }
    const escape = text[source.at] ?? '';
    const known = Object.hasOwn(simple, escape) ? simple[escape] : undefined;
    if (known !== undefined) {
      decoded += known;
      source.at++;
      continue;
    }
    numbered.lastIndex = source.at;
    const match = numbered.exec(text);
    const code = match ? codeOf(match) : 0;
    if (match === null || code === 0 || code > 0x7f)
      throw opaque(
        'unsupported-syntax',
        "A $'…' holds an escape whose meaning depends on the shell or the locale.",
        source.at - 1,
        source.at + 1,
      );
    decoded += String.fromCharCode(code);
    source.at += match[0].length;
  }
}

function codeOf(match: RegExpExecArray): number {
  const [, hex, octal, short, long] = match;
  if (octal !== undefined) return Number.parseInt(octal, 8);
  return Number.parseInt(hex ?? short ?? long ?? '0', 16);
}
