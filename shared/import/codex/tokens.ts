/** A token of a `.rules` file. `line` counts from 1. */
export type Token = { readonly line: number } & (
  | { readonly kind: 'name'; readonly text: string }
  | { readonly kind: 'string'; readonly text: string }
  | { readonly kind: 'sign'; readonly text: '(' | ')' | '[' | ']' | ',' | '=' }
);

export type Tokens =
  | { readonly ok: true; readonly tokens: readonly Token[] }
  | { readonly ok: false; readonly line: number; readonly why: string };

const blank = /(?:[ \t\r]|#[^\n]*|\\\r?\n)+/y;
const name = /[A-Za-z_][A-Za-z0-9_]*/y;
const shortString = /"((?:[^"\\\n]|\\[^\n])*)"|'((?:[^'\\\n]|\\[^\n])*)'/y;
const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  '\\': '\\',
  '"': '"',
  "'": "'",
};

/** The tokens of the part of Starlark that rules are written in. Anything else is an error. */
export function tokensOf(text: string): Tokens {
  const tokens: Token[] = [];
  let line = 1;
  let at = 0;
  const take = (expression: RegExp): RegExpExecArray | null => {
    expression.lastIndex = at;
    const found = expression.exec(text);
    if (found !== null) at += found[0].length;
    return found;
  };
  while (at < text.length) {
    const skipped = take(blank);
    if (skipped !== null) {
      line += skipped[0].split('\n').length - 1;
      continue;
    }
    const sign = text[at] ?? '';
    if (sign === '\n') {
      line += 1;
      at += 1;
    } else if (isSign(sign)) {
      tokens.push({ kind: 'sign', text: sign, line });
      at += 1;
    } else if (text.startsWith('"""', at) || text.startsWith("'''", at)) {
      return { ok: false, line, why: 'a text over several lines is not understood' };
    } else {
      const word = take(name);
      const quoted = word === null ? take(shortString) : null;
      if (word !== null && /["']/.test(text[at] ?? ''))
        return { ok: false, line, why: 'a text with a prefix is not understood' };
      if (word !== null) tokens.push({ kind: 'name', text: word[0], line });
      else if (quoted !== null) {
        const value = unescaped(quoted[1] ?? quoted[2] ?? '');
        if (value === null)
          return { ok: false, line, why: 'an escape in a text is not understood' };
        tokens.push({ kind: 'string', text: value, line });
      } else return { ok: false, line, why: `"${sign}" is not understood` };
    }
  }
  return { ok: true, tokens };
}

function isSign(text: string): text is '(' | ')' | '[' | ']' | ',' | '=' {
  return text !== '' && '()[],='.includes(text);
}

function unescaped(body: string): string | null {
  let known = true;
  const text = body.replaceAll(/\\([\s\S])/g, (_, letter: string) => {
    const value = escapes[letter];
    if (value === undefined) known = false;
    return value ?? '';
  });
  return known ? text : null;
}
