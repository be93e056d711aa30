import { openSource } from './source.ts';
import type { PendingHeredoc, Source } from './source.ts';
import { opaque } from './syntax.ts';
import type { Change, CommandList, Piece, Word } from './syntax.ts';

const name = /[A-Za-z_][A-Za-z0-9_]*/y;

/** `$!`: the number of what was last left to run beside the others. */
export const lastJob = '!';

/** `${PIPESTATUS[0]}`: how one part of the pipeline before ended. */
const partOfPipeline = /\$\{(PIPESTATUS\[[0-9]\])\}/y;

/**
 * Reads what a `$` begins, except `$'` and `$"`. Known variables are left to the plan; everything
 * that could run code or take apart a value is opaque.
 */
export function readDollar(source: Source, quoted: boolean): Piece {
  const { text } = source;
  const start = source.at;
  const next = text[start + 1];
  if (next === '(') {
    if (text[start + 2] === '(') return { kind: 'arithmetic', quoted, tokens: readSum(source) };
    source.at += 2;
    return { kind: 'output', quoted, list: substitution(source, start) };
  }
  if (next === '[') throw opaque('arithmetic', 'Arithmetic can run commands.', start, start + 2);
  if (next === '?') {
    source.at += 2;
    return { kind: 'status', quoted };
  }
  if (next === '{') return readBraced(source, quoted);
  if (next === '!') {
    source.at += 2;
    return { kind: 'variable', name: lastJob, quoted, bare: true };
  }
  if (next === '\\' && text[start + 2] === '\n')
    throw opaque('unsupported-syntax', 'An expansion is broken over two lines.', start, start + 3);
  const found = nameAt(text, start + 1);
  if (found !== null) {
    source.at += 1 + found.length;
    // A joined line inside the name would be taken out by the shell, and the name would go on.
    if (text.startsWith('\\\n', source.at))
      throw opaque('unsupported-syntax', 'A name is broken over two lines.', start, source.at);
    return { kind: 'variable', name: found, quoted, bare: true };
  }
  if (next !== undefined && /[0-9@*#$-]/.test(next))
    throw opaque('parameter-expansion', `The value of $${next} is not known.`, start, start + 2);
  source.at++;
  return { kind: 'text', text: '$', quoted: true };
}

/** The list of `$(…)` or `<(…)`, from behind its parenthesis. */
export function substitution(source: Source, start: number): CommandList {
  if (source.substitution === null || source.pending.length > 0) throw outputUsed(start);
  return source.substitution(source, ')');
}

/** Reads a command in backquotes, in which nothing is escaped, and moves past the closing one. */
export function readBackquotes(source: Source, quoted: boolean): Piece {
  const { text, at } = source;
  const end = text.indexOf('`', at + 1);
  if (source.substitution === null || source.pending.length > 0 || end === -1) throw outputUsed(at);
  const inside: Source = { ...source, text: text.slice(0, end), at: at + 1 };
  if (/[\\"]/.test(text.slice(at + 1, end))) throw outputUsed(at);
  const list = source.substitution(inside, null);
  source.bashOnly ||= inside.bashOnly;
  source.at = end + 1;
  return { kind: 'output', quoted, list };
}

function outputUsed(start: number): Error {
  return opaque('command-substitution', 'The output of another command is used.', start, start + 2);
}

const sumToken =
  /[ \t]*(?:(0|[1-9][0-9]{0,14}|[-+*/%()])|\$?([A-Za-z_][A-Za-z0-9_]*)|\$\{([A-Za-z_][A-Za-z0-9_]*)\})/y;

/**
 * Reads `$((…))` where it holds whole numbers, names, `+ - * / %` and parentheses and nothing else:
 * no assignment, no subscript, no number with a base of its own.
 */
function readSum(source: Source): readonly string[] {
  const start = source.at;
  const beyond = (): Error =>
    opaque('arithmetic', 'Arithmetic can run commands.', start, start + 3);
  const tokens: string[] = [];
  let depth = 0;
  sumToken.lastIndex = start + 3;
  for (;;) {
    const at = sumToken.lastIndex;
    const end = /[ \t]*\)\)/y;
    end.lastIndex = at;
    if (depth === 0 && end.test(source.text)) {
      source.at = end.lastIndex;
      return tokens;
    }
    const match = sumToken.exec(source.text);
    if (match === null || tokens.length > 64) throw beyond();
    const [, sign, bare, braced] = match;
    const token = sign ?? bare ?? braced ?? '';
    if (/^[0-9]/.test(token) && /[0-9A-Za-z_#.]/.test(source.text[sumToken.lastIndex] ?? ''))
      throw beyond();
    if (token === '(') depth++;
    if (token === ')' && --depth < 0) throw beyond();
    tokens.push(token);
  }
}

/** What stands between a name and its `}`, written without quotes, expansions or sets. */
const changes =
  /(?:(%%|%|##|#)([A-Za-z0-9_.,:@+=*?/-]*)|(\/\/?)([A-Za-z0-9_.,:@+=-]+)\/([A-Za-z0-9_.,:@+=/-]*)|(:?-)([A-Za-z0-9_.,:@+=/%-]*))\}/y;

function readBraced(source: Source, quoted: boolean): Piece {
  const { text } = source;
  const start = source.at;
  if (text.startsWith('${?}', start)) {
    source.at += 4;
    return { kind: 'status', quoted };
  }
  partOfPipeline.lastIndex = start;
  const part = partOfPipeline.exec(text)?.[1];
  if (part !== undefined) {
    source.at = partOfPipeline.lastIndex;
    source.bashOnly = true;
    return { kind: 'variable', name: part, quoted, bare: false };
  }
  const length = text[start + 2] === '#';
  const found = nameAt(text, start + (length ? 3 : 2));
  const end = start + (length ? 3 : 2) + (found?.length ?? 0);
  const change = found === null ? null : length ? lengthAt(text, end) : changeAt(text, end);
  if (found === null || (text[end] !== '}' && change === null))
    throw opaque('parameter-expansion', 'A value is changed while it is expanded.', start, end + 1);
  if (change === null) {
    source.at = end + 1;
    return { kind: 'variable', name: found, quoted, bare: false };
  }
  source.bashOnly ||= change.change.kind === 'replace';
  source.at = change.end;
  return { kind: 'variable', name: found, quoted, bare: false, change: change.change };
}

function lengthAt(text: string, end: number): { change: Change; end: number } | null {
  if (text[end] !== '}')
    throw opaque('parameter-expansion', 'A value is changed while it is expanded.', end, end + 1);
  return { change: { kind: 'length' }, end: end + 1 };
}

function changeAt(text: string, at: number): { change: Change; end: number } | null {
  changes.lastIndex = at;
  const match = changes.exec(text);
  if (match === null) return null;
  const [all, cut, pattern = '', slash, from = '', to = '', or, value = ''] = match;
  const end = at + all.length;
  if (cut !== undefined)
    return { change: { kind: 'cut', operator: cut as '%' | '%%' | '#' | '##', pattern }, end };
  if (slash !== undefined)
    return { change: { kind: 'replace', all: slash === '//', from, to }, end };
  return { change: { kind: 'default', whenEmpty: or === ':-', value }, end };
}

function nameAt(text: string, at: number): string | null {
  name.lastIndex = at;
  return name.exec(text)?.[0] ?? null;
}

const plainDelimiter = /^[A-Za-z0-9_.!%+,:@=-]+$/;

/** The heredoc that a delimiter announces. Quoting any part of it makes the body literal. */
export function announceHeredoc(word: Word, stripTabs: boolean): PendingHeredoc {
  let delimiter = '';
  let quoted = false;
  for (const piece of word.pieces) {
    if (piece.kind !== 'text') throw unusual(word);
    delimiter += piece.text;
    quoted ||= piece.quoted;
  }
  if (!plainDelimiter.test(delimiter)) throw unusual(word);
  return { delimiter, quoted, stripTabs, start: word.start, body: [] };
}

function unusual(word: Word): Error {
  return opaque(
    'unsupported-syntax',
    'The end mark of a heredoc is unusual.',
    word.start,
    word.end,
  );
}

/** Reads the bodies of all announced heredocs; the source stands at the start of a line. */
export function readHeredocs(source: Source): void {
  for (const heredoc of source.pending) heredoc.body = readBody(source, heredoc);
  source.pending = [];
}

/** Reads one body from the start of its first line, and moves past its end mark. */
function readBody(source: Source, heredoc: PendingHeredoc): readonly Piece[] {
  const { text } = source;
  const lines: string[] = [];
  for (;;) {
    if (source.at >= text.length)
      throw opaque('syntax-error', `A heredoc has no "${heredoc.delimiter}" line.`, heredoc.start);
    const end = text.indexOf('\n', source.at);
    const stop = end === -1 ? text.length : end;
    let line = text.slice(source.at, stop);
    source.at = end === -1 ? text.length : stop + 1;
    if (heredoc.stripTabs) line = line.replace(/^\t+/, '');
    if (line === heredoc.delimiter) break;
    // The shell joins such a line with the next before it looks for the end mark.
    if (!heredoc.quoted && line.endsWith('\\'))
      throw opaque('unsupported-syntax', 'A line of a heredoc is joined.', heredoc.start);
    lines.push(line);
  }
  const body = lines.map((line) => `${line}\n`).join('');
  if (heredoc.quoted || body === '') return [{ kind: 'text', text: body, quoted: true }];
  if (!/[\\$`]/.test(body)) return [{ kind: 'text', text: body, quoted: true }];
  return expandBody(body, heredoc.start);
}

function expandBody(body: string, start: number): readonly Piece[] {
  try {
    return readExpandable(openSource(body), '') ?? [];
  } catch {
    throw opaque('heredoc-expansion', 'A heredoc holds expansions.', start);
  }
}

const opening =
  /\$\([ \t]*cat[ \t]+<<(-?)[ \t]*(?:'([A-Za-z0-9_.-]+)'|"([A-Za-z0-9_.-]+)"|([A-Za-z0-9_.-]+))[ \t]*\n/y;

/**
 * Reads `$(cat <<'EOF'` … `EOF` `)` inside double quotes, the way in which agents write long
 * messages, as the text that it stands for; null, with nothing read, for any other substitution.
 * The plan then holds the text, and no `cat` runs.
 */
function readCatHeredoc(source: Source): Piece | null {
  const { at, text } = source;
  opening.lastIndex = at;
  const match = opening.exec(text);
  if (match === null || source.pending.length > 0) return null;
  const [all, strip, single, double, bare] = match;
  source.at += all.length;
  const delimiter = single ?? double ?? bare ?? '';
  const body = readBody(source, {
    delimiter,
    quoted: bare === undefined,
    stripTabs: strip === '-',
    start: at,
    body: [],
  });
  while (/^[ \t\n]$/.test(text[source.at] ?? '')) source.at++;
  const [piece] = body;
  // Bash takes a line that only begins with the end mark (`EOF)`) for the end, others do not.
  const known =
    body.length === 1 &&
    piece?.kind === 'text' &&
    !piece.text.split('\n').some((line) => line.startsWith(delimiter));
  if (text[source.at] !== ')' || !known) {
    source.at = at;
    return null;
  }
  source.at++;
  const cat = at + all.indexOf('cat');
  return { kind: 'text', text: piece.text.replace(/\n+$/, ''), quoted: true, cat };
}

const stop = /["\\$`]/g;

/** Reads `'…'` from its opening quote and moves past the closing one. */
export function readSingleQuotes(source: Source): Piece {
  const end = source.text.indexOf("'", source.at + 1);
  if (end === -1) throw opaque('syntax-error', 'A quote has no end.', source.at);
  const text = source.text.slice(source.at + 1, end);
  source.at = end + 1;
  return { kind: 'text', text, quoted: true };
}

/** Reads `"…"` from its opening quote and moves past the closing one. */
export function readDoubleQuotes(source: Source): Piece[] {
  const start = source.at++;
  const pieces = readExpandable(source, '"');
  if (pieces === null) throw opaque('syntax-error', 'A quote has no end.', start);
  return pieces;
}

/**
 * Reads text in which only `$`, backquote and backslash are special, up to and past `closer`; null
 * when the text ends first. With an empty `closer` it reads to the end (the body of a heredoc).
 */
function readExpandable(source: Source, closer: '"' | ''): Piece[] | null {
  const { text } = source;
  const pieces: Piece[] = [];
  let run = '';
  const flush = (): void => {
    if (run !== '' || pieces.length === 0) pieces.push({ kind: 'text', text: run, quoted: true });
    run = '';
  };
  for (;;) {
    stop.lastIndex = source.at;
    const found = stop.exec(text);
    if (found === null) {
      if (closer !== '') return null;
      run += text.slice(source.at);
      source.at = text.length;
      flush();
      return pieces;
    }
    run += text.slice(source.at, found.index);
    source.at = found.index;
    const c = found[0];
    if (c === '"') {
      source.at++;
      if (closer === '"') {
        flush();
        return pieces;
      }
      run += c;
    } else if (c === '`') {
      if (run !== '') flush();
      pieces.push(readBackquotes(source, true));
    } else if (c === '\\') {
      const next = text[source.at + 1] ?? '';
      source.at += 1 + next.length;
      if (next === '\n') continue;
      const special = next === '$' || next === '`' || next === '\\' || next === closer;
      run += special && next !== '' ? next : `\\${next}`;
    } else {
      const piece = (closer === '"' ? readCatHeredoc(source) : null) ?? readDollar(source, true);
      if (piece.kind === 'text' && piece.cat === undefined) run += piece.text;
      else {
        if (run !== '') flush();
        pieces.push(piece);
      }
    }
  }
}
