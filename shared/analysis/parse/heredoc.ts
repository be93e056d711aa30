import { opaque } from './opaque.ts';
import { readExpandable } from './quotes.ts';
import { openSource, type PendingHeredoc, type Source } from './source.ts';
import type { Piece, Word } from './syntax.ts';

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
export function readBody(source: Source, heredoc: PendingHeredoc): readonly Piece[] {
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
