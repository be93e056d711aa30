import { opaque } from './opaque.ts';
import type { Piece } from './syntax.ts';

/** A heredoc whose operator was read and whose body follows after the line. */
export interface PendingHeredoc {
  readonly delimiter: string;
  readonly quoted: boolean;
  readonly stripTabs: boolean;
  readonly start: number;
  /** Filled once the body was read. */
  body: readonly Piece[];
}

/** Shell text and how far it was read. */
export interface Source {
  readonly text: string;
  at: number;
  /** Something was read that bash knows and a POSIX shell does not, or takes for something else. */
  bashOnly: boolean;
  /** Nesting of groups and subshells. */
  depth: number;
  pending: PendingHeredoc[];
}

export function openSource(text: string): Source {
  return { text, at: 0, depth: 0, bashOnly: false, pending: [] };
}

export const metacharacters = '|&;()<>';

const operatorCharacter = /[|&;()<>]/;

/** Skips blanks and joined lines; stops at a newline. */
export function skipBlanks(source: Source): void {
  const { text } = source;
  for (;;) {
    const c = text.charCodeAt(source.at);
    if (c === 0x20 || c === 0x09) source.at++;
    else if (c === 0x5c && text.charCodeAt(source.at + 1) === 0x0a) source.at += 2;
    else return;
  }
}

/** Skips a comment if one starts here, up to its newline. */
export function skipComment(source: Source): void {
  if (source.text[source.at] !== '#') return;
  const end = source.text.indexOf('\n', source.at);
  source.at = end === -1 ? source.text.length : end;
}

/**
 * Moves past an operator. A joined line right behind it could glue two operators together
 * (`|\` newline `|`), which readers disagree about.
 */
export function takeOperator(source: Source, operator: string): void {
  const start = source.at;
  source.at += operator.length;
  if (!source.text.startsWith('\\\n', source.at)) return;
  let at = source.at;
  while (source.text.startsWith('\\\n', at)) at += 2;
  if (operatorCharacter.test(source.text[at] ?? ''))
    throw opaque('unsupported-syntax', 'An operator is broken over two lines.', start, at);
}
