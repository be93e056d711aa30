import { readCatHeredoc } from './cat-heredoc.ts';
import { readDollar } from './dollar.ts';
import { opaque } from './opaque.ts';
import type { Source } from './source.ts';
import type { Piece } from './syntax.ts';

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
export function readExpandable(source: Source, closer: '"' | ''): Piece[] | null {
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
      throw opaque('command-substitution', 'The output of another command is used.', source.at);
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
