import type { OpaqueReason, Span } from '../plan/types.ts';

/** Thrown inside the analysis where understanding ends; `analyse` turns it into an answer. */
export class Opaque extends Error {
  readonly reason: OpaqueReason;
  readonly span: Span | null;

  constructor(reason: OpaqueReason, detail: string, span: Span | null) {
    super(detail);
    this.name = 'Opaque';
    this.reason = reason;
    this.span = span;
  }
}

/** An end of understanding at `start`, one character long unless `end` is given. */
export function opaque(
  reason: OpaqueReason,
  detail: string,
  start?: number,
  end = (start ?? 0) + 1,
): Opaque {
  return new Opaque(reason, detail, start === undefined ? null : { start, end });
}

/** What the reader of shell text yields: structure and words, nothing expanded yet. */

/** A part of a word. Unquoted text may still hold patterns, braces and a leading tilde. */
export type Piece =
  | {
      readonly kind: 'text';
      readonly text: string;
      readonly quoted: boolean;
      /** Where the `cat` stands whose heredoc this text is. */
      readonly cat?: number;
    }
  | {
      readonly kind: 'variable';
      readonly name: string;
      readonly quoted: boolean;
      /** Written `$name`, without braces. */
      readonly bare: boolean;
    }
  /** `$?` */
  | { readonly kind: 'status'; readonly quoted: boolean };

export interface Word {
  readonly pieces: readonly Piece[];
  readonly start: number;
  readonly end: number;
}

export type RedirectOperator = '<' | '>' | '>>' | '>|' | '&>' | '&>>' | '>&' | '<&';

export interface FileRedirect {
  readonly kind: 'file';
  readonly operator: RedirectOperator;
  readonly descriptor: number | null;
  readonly target: Word;
  readonly start: number;
}

/** A heredoc or here-string: text that becomes the standard input. */
export interface TextRedirect {
  readonly kind: 'text';
  readonly descriptor: number | null;
  readonly body: readonly Piece[];
  readonly start: number;
}

export type Redirect = FileRedirect | TextRedirect;

export interface Prefix {
  readonly name: string;
  readonly value: Word;
}

export interface SimpleCommand {
  readonly kind: 'simple';
  readonly assignments: readonly Prefix[];
  readonly words: readonly Word[];
  readonly redirects: readonly Redirect[];
  readonly start: number;
  readonly end: number;
}

/** Every part of every word of a command, in no particular order. */
export function piecesOf({ words, assignments, redirects }: SimpleCommand): readonly Piece[] {
  return [
    ...assignments.flatMap((one) => one.value.pieces),
    ...words.flatMap((word) => word.pieces),
    ...redirects.flatMap((one) => (one.kind === 'text' ? one.body : one.target.pieces)),
  ];
}

/** `{ …; }` or `( … )`. */
export interface Compound {
  readonly kind: 'group' | 'subshell';
  readonly body: CommandList;
  readonly redirects: readonly Redirect[];
  readonly start: number;
  readonly end: number;
}

export type Command = SimpleCommand | Compound;

export interface Pipeline {
  readonly commands: readonly Command[];
  /** For each command but the last: whether `|&` follows, which pipes the errors too. */
  readonly withErrors: readonly boolean[];
  readonly negated: boolean;
  readonly timed: 'time' | 'time -p' | null;
  readonly start: number;
}

export type Joiner = '&&' | '||' | ';';

export interface ListItem {
  readonly pipeline: Pipeline;
  /** What stands between this pipeline and the next; `;` also for a newline. */
  readonly joiner: Joiner;
}

export type CommandList = readonly ListItem[];
