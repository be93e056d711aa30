import { opaque } from './syntax.ts';
import type { CommandList, Opaque, Piece } from './syntax.ts';

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
  /** Reads the commands of a substitution up to a `)`, or to the end; null where none may stand. */
  readonly substitution: ((source: Source, closer: ')' | null) => CommandList) | null;
}

export function openSource(text: string, substitution: Source['substitution'] = null): Source {
  return { text, at: 0, depth: 0, bashOnly: false, pending: [], substitution };
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

// oxlint-disable-next-line no-control-regex -- control characters are what this looks for
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;
const loneSurrogate = /\p{Surrogate}/u;

/**
 * Characters that a person cannot tell from a blank or from nothing, and that a shell may take for
 * a blank in some locales. Inside quotes they are data.
 */
export const oddBlank =
  /[\u00a0\u00ad\u061c\u115f\u1160\u1680\u17b4\u17b5\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufeff\uffa0\ufff0-\ufffb]/;

/** The first character that must not stand anywhere in shell text, or null. */
export function forbiddenCharacter(text: string): Opaque | null {
  const found = control.exec(text) ?? loneSurrogate.exec(text);
  if (found === null) return null;
  const code = text.charCodeAt(found.index).toString(16).padStart(4, '0').toUpperCase();
  return opaque(
    'control-character',
    `The command holds the control character U+${code}, which shells and people read differently.`,
    found.index,
  );
}
