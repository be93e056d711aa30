import { readBody } from './heredoc.ts';
import type { Source } from './source.ts';
import type { Piece } from './syntax.ts';

const opening =
  /\$\([ \t]*cat[ \t]+<<(-?)[ \t]*(?:'([A-Za-z0-9_.-]+)'|"([A-Za-z0-9_.-]+)"|([A-Za-z0-9_.-]+))[ \t]*\n/y;

/**
 * Reads `$(cat <<'EOF'` … `EOF` `)` inside double quotes, the way in which agents write long
 * messages, as the text that it stands for; null, with nothing read, for any other substitution.
 * The plan then holds the text, and no `cat` runs.
 */
export function readCatHeredoc(source: Source): Piece | null {
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
