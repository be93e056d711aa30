import { announceHeredoc } from './heredoc.ts';
import { opaque } from './opaque.ts';
import { skipBlanks, takeOperator, type PendingHeredoc, type Source } from './source.ts';
import type { Piece, Redirect, RedirectOperator, Word } from './syntax.ts';
import { readWord, unquotedText } from './word.ts';

const operators = ['<<<', '<<-', '<<', '<>', '<&', '>>', '>|', '>&', '<', '>'] as const;

/** The redirection operator that starts here, also `&>` and `&>>`, or null. */
export function redirectAt(source: Source): boolean {
  const c = source.text[source.at];
  return c === '<' || c === '>' || (c === '&' && source.text[source.at + 1] === '>');
}

/** Reads a redirection from its operator on; `descriptor` is the number that stood before it. */
export function readRedirect(source: Source, descriptor: number | null): Redirect {
  const { text } = source;
  const start = source.at;
  if (text[start + 1] === '(')
    throw opaque('process-substitution', 'A command takes the place of a file.', start, start + 2);
  const operator = operatorAt(source);
  if (operator === '<>')
    throw opaque('redirect', 'A file is opened for reading and writing.', start, start + 2);
  source.bashOnly ||= operator === '<<<' || operator.startsWith('&');
  takeOperator(source, operator);
  skipBlanks(source);
  const next = text[source.at];
  if (next === undefined || '\n|&;()<>#'.includes(next))
    throw opaque('syntax-error', 'A redirection leads nowhere.', start, source.at);
  const target = readWord(source);
  if (/^[0-9]+$/.test(unquotedText(target) ?? '') && /[<>]/.test(text[source.at] ?? ''))
    throw opaque('syntax-error', 'A redirection leads to another.', start, source.at);
  if (operator === '<<' || operator === '<<-') {
    const pending = announceHeredoc(target, operator === '<<-');
    source.pending.push(pending);
    return heredoc(pending, descriptor, start);
  }
  if (operator === '<<<') return { kind: 'text', descriptor, body: withNewline(target), start };
  return { kind: 'file', operator, descriptor, target, start };
}

function operatorAt(source: Source): RedirectOperator | '<<' | '<<-' | '<<<' | '<>' {
  const { text, at } = source;
  if (text.startsWith('&>>', at)) return '&>>';
  if (text.startsWith('&>', at)) return '&>';
  return operators.find((operator) => text.startsWith(operator, at)) ?? '<';
}

/** The body is read later, at the end of the line. */
function heredoc(pending: PendingHeredoc, descriptor: number | null, start: number): Redirect {
  return {
    kind: 'text',
    descriptor,
    get body() {
      return pending.body;
    },
    start,
  };
}

/** A here-string is expanded like a quoted word: no splitting, no patterns, no braces. */
function withNewline(word: Word): readonly Piece[] {
  const pieces = word.pieces.map((piece): Piece => {
    if (piece.kind === 'text' && !piece.quoted && piece.text.includes('~'))
      throw opaque('tilde', 'A here-string holds a tilde.', word.start, word.end);
    return { ...piece, quoted: true };
  });
  return [...pieces, { kind: 'text', text: '\n', quoted: true }];
}
