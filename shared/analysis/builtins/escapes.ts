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
export function decodeEcho(text: string): string | null {
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
