/**
 * The words of Python code, as far as every version from 3.6 on takes them in the same way. What one of
 * them would cut differently (quotes in the fields of an f-string, letters that are folded into others,
 * another encoding) is not read at all.
 */

export interface PythonToken {
  readonly kind: 'name' | 'number' | 'string' | 'mark' | 'end';
  readonly text: string;
  /** What a plain string holds; null where escapes, fields or bytes make something else of it. */
  readonly value: string | null;
  /** How many brackets are open behind it. */
  readonly depth?: number;
}

const longest = 20_000;

/** Python folds letters beyond ASCII into others, and takes some of them for ends of lines. */
const foreign = /[^\t\n -~]/;
// oxlint-disable-next-line no-control-regex -- control characters are what this looks for
const unprintable = /[\0-\x08\x0b-\x1f\x7f\u2028\u2029\ufeff]/;
const otherEncoding = /^[ \t]*#.*coding[:=]/m;

const blank = /(?:[ \t]|\\\n)+/y;
const comment = /#[^\n]*/y;
const number =
  /(?:0[xX][\dA-Fa-f_]+|0[oO][0-7_]+|0[bB][01_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d[\d_]*)?[jJ]?)/y;
const name = /[A-Za-z_]\w*/y;
const mark =
  /\*\*=|\/\/=|>>=|<<=|\.\.\.|[-+*/%@&|^<>=!:]=|->|\*\*|\/\/|<<|>>|[-+*/%@&|^~<>=()[\]{},:.;]/y;
const text =
  /([A-Za-z]{0,2})("""(?:[^\\]|\\[^])*?"""|'''(?:[^\\]|\\[^])*?'''|"(?:[^"\\\n]|\\[^])*"|'(?:[^'\\\n]|\\[^])*')/y;
const prefixes = /^(?:|[bBuU]|[rR][bB]?|[bB][rR]|[fF][rR]?|[rR][fF])$/;

/** All words of the code, with those in the fields of its strings; null where they are not certain. */
export function pythonTokens(code: string): readonly PythonToken[] | null {
  if (code.length > longest || unprintable.test(code)) return null;
  if (otherEncoding.test(code.split('\n', 2).join('\n'))) return null;
  const found: PythonToken[] = [];
  return cut(code, found) ? outsideBrackets(found) : null;
}

/** Inside of brackets a line goes on; null where one is closed that is not open, or the other way round. */
function outsideBrackets(tokens: readonly PythonToken[]): readonly PythonToken[] | null {
  const open: string[] = [];
  const kept: PythonToken[] = [];
  for (const token of tokens) {
    const closes = token.kind === 'mark' ? ')]}'.indexOf(token.text) : -1;
    if (token.kind === 'mark' && '([{'.includes(token.text)) open.push(token.text);
    else if (closes !== -1 && open.pop() !== '([{'[closes]) return null;
    if (token.kind !== 'end' || open.length === 0) kept.push({ ...token, depth: open.length });
  }
  return open.length === 0 ? kept : null;
}

const ended: PythonToken = { kind: 'end', text: '\n', value: null };

function cut(code: string, found: PythonToken[]): boolean {
  let at = 0;
  const take = (what: RegExp): RegExpExecArray | null => {
    what.lastIndex = at;
    const match = what.exec(code);
    if (match !== null) at += match[0].length;
    return match;
  };
  while (at < code.length) {
    if (take(blank) !== null || take(comment) !== null) continue;
    if (code[at] === '\n') {
      found.push(ended);
      at += 1;
      continue;
    }
    const string = take(text);
    if (string !== null) {
      if (!addString(string, found)) return false;
    } else if (!addWord(take, found)) return false;
    // `0or`, `in"x"` and `t"{x}"` are cut in different ways.
    const last = found.at(-1);
    if (last?.kind !== 'mark' && /[\w"']/.test(code[at] ?? '')) return false;
  }
  found.push(ended);
  return true;
}

function addWord(take: (what: RegExp) => RegExpExecArray | null, found: PythonToken[]): boolean {
  for (const [kind, what] of [
    ['number', number],
    ['name', name],
    ['mark', mark],
  ] as const) {
    const match = take(what);
    if (match === null) continue;
    found.push({ kind, text: match[0], value: null });
    return true;
  }
  return false;
}

function addString([, prefix = '', quoted = '']: RegExpExecArray, found: PythonToken[]): boolean {
  if (!prefixes.test(prefix)) return false;
  const quote = /^(?:"""|'''|"|')/.exec(quoted)?.[0] ?? '"';
  const inner = quoted.slice(quote.length, -quote.length);
  if (/[fF]/.test(prefix)) {
    found.push({ kind: 'string', text: prefix, value: null });
    return addFields(inner, found);
  }
  const isPlain = prefix === '' || /^[uU]$/.test(prefix);
  found.push({
    kind: 'string',
    text: prefix,
    value: isPlain && !inner.includes('\\') ? inner : null,
  });
  return true;
}

/** The fields of an f-string, each in braces of its own, so that nothing around it joins in. */
function addFields(inner: string, found: PythonToken[]): boolean {
  if (inner.includes('\\N')) return false;
  let at = 0;
  while (at < inner.length) {
    const letter = inner[at];
    if ((letter === '{' || letter === '}') && inner[at + 1] === letter) {
      at += 2;
      continue;
    }
    if (letter === '}') return false;
    if (letter === '{') {
      const end = addField(inner, at + 1, found);
      if (end === null) return false;
      at = end;
    } else at += 1;
  }
  return true;
}

/** One field from behind its brace; where what follows it begins, or null. */
function addField(inner: string, start: number, found: PythonToken[]): number | null {
  let depth = 0;
  let at = start;
  for (; at < inner.length; at += 1) {
    const letter = inner[at] ?? '';
    if (letter === '\\' || letter === '#' || letter === '\n') return null;
    if (letter === '"' || letter === "'") {
      const end = inner.indexOf(letter, at + 1);
      if (end === -1 || /[\\{}]/.test(inner.slice(at, end))) return null;
      at = end;
    } else if ('([{'.includes(letter)) depth += 1;
    else if (depth > 0 && ')]}'.includes(letter)) depth -= 1;
    else if (depth === 0 && (/[:}]/.test(letter) || (letter === '!' && inner[at + 1] !== '=')))
      break;
  }
  const expression = inner.slice(start, at).replace(/=\s*$/, '');
  if (foreign.test(expression) || /^\s*$/.test(expression)) return null;
  found.push({ kind: 'mark', text: '{', value: null });
  const words: PythonToken[] = [];
  if (!cut(expression, words)) return null;
  found.push(...words.slice(0, -1), { kind: 'mark', text: '}', value: null });
  return behindField(inner, at, found);
}

/** The way a field is shown: `!r`, `:>10.2f`, `:{width}`. */
function behindField(inner: string, start: number, found: PythonToken[]): number | null {
  let at = start;
  const shown = /^![rsa]/.exec(inner.slice(at));
  if (shown !== null) at += 2;
  if (inner[at] === '}') return at + 1;
  if (inner[at] !== ':') return null;
  for (at += 1; at < inner.length;) {
    const letter = inner[at] ?? '';
    if (letter === '}') return at + 1;
    if (/[\\"'\n]/.test(letter)) return null;
    if (letter === '{') {
      const end = addField(inner, at + 1, found);
      if (end === null) return null;
      at = end;
    } else at += 1;
  }
  return null;
}
