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
      /** What `${name…}` makes of the value. */
      readonly change?: Change;
    }
  /** `$((…))`: numbers, names, operators and parentheses, each a token. */
  | { readonly kind: 'arithmetic'; readonly quoted: boolean; readonly tokens: readonly string[] }
  /** `$(…)` and backquotes: what the commands of the list print. */
  | { readonly kind: 'output'; readonly quoted: boolean; readonly list: CommandList }
  /** `<(…)`, a word of its own: a file that holds what they print. */
  | { readonly kind: 'process'; readonly quoted: true; readonly list: CommandList }
  /** `$?` */
  | { readonly kind: 'status'; readonly quoted: boolean };

/** What an expansion makes of a value that is known. */
export type Change =
  | { readonly kind: 'length' }
  /** `%`, `%%`, `#`, `##`: what the pattern matches at an end is taken off; `*` and `?` are wild. */
  | { readonly kind: 'cut'; readonly operator: '%' | '%%' | '#' | '##'; readonly pattern: string }
  /** `/` and `//`: literal text in the place of literal text. */
  | { readonly kind: 'replace'; readonly all: boolean; readonly from: string; readonly to: string }
  /** `-` and `:-`: another value in the place of none, or of an empty one. */
  | { readonly kind: 'default'; readonly whenEmpty: boolean; readonly value: string };

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
interface TextRedirect {
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

/** What all compound commands have. */
interface Enclosing {
  readonly redirects: readonly Redirect[];
  readonly start: number;
  readonly end: number;
}

/** `{ …; }` or `( … )`. */
export interface Group extends Enclosing {
  readonly kind: 'group' | 'subshell';
  readonly body: CommandList;
}

/** `for NAME in …; do …; done` */
export interface ForLoop extends Enclosing {
  readonly kind: 'for';
  readonly name: string;
  readonly words: readonly Word[];
  readonly body: CommandList;
}

/** `while …; do …; done`, and `until`. */
export interface WhileLoop extends Enclosing {
  readonly kind: 'while' | 'until';
  readonly condition: CommandList;
  readonly body: CommandList;
}

/** `if …; then …; elif …; then …; else …; fi` */
export interface IfClause extends Enclosing {
  readonly kind: 'if';
  readonly branches: readonly { readonly condition: CommandList; readonly body: CommandList }[];
  readonly otherwise: CommandList | null;
}

/** `case … in …) …;; esac` */
export interface CaseClause extends Enclosing {
  readonly kind: 'case';
  readonly subject: Word;
  readonly branches: readonly { readonly patterns: readonly Word[]; readonly body: CommandList }[];
}

export type Compound = Group | ForLoop | WhileLoop | IfClause | CaseClause;
export type Command = SimpleCommand | Compound;

/** Every part of the words of a command itself, those of the commands in it left out. */
export function ownPieces(command: Command): readonly Piece[] {
  if (command.kind === 'simple') return piecesOf(command);
  const own =
    command.kind === 'for'
      ? command.words
      : command.kind === 'case'
        ? [command.subject, ...command.branches.flatMap(({ patterns }) => patterns)]
        : [];
  const { redirects, start, end } = command;
  return piecesOf({ kind: 'simple', assignments: [], words: own, redirects, start, end });
}

/** The lists inside a compound command, in the order of the text. */
export function listsOf(compound: Compound): readonly CommandList[] {
  switch (compound.kind) {
    case 'while':
    case 'until':
      return [compound.condition, compound.body];
    case 'if': {
      const lists = compound.branches.flatMap(({ condition, body }) => [condition, body]);
      return compound.otherwise === null ? lists : [...lists, compound.otherwise];
    }
    case 'case':
      return compound.branches.map(({ body }) => body);
    default:
      return [compound.body];
  }
}

export interface Pipeline {
  readonly commands: readonly Command[];
  /** For each command but the last: whether `|&` follows, which pipes the errors too. */
  readonly withErrors: readonly boolean[];
  readonly negated: boolean;
  readonly timed: 'time' | 'time -p' | null;
  readonly start: number;
}

export type Joiner = '&&' | '||' | ';' | '&';

export interface ListItem {
  readonly pipeline: Pipeline;
  /**
   * What stands between this pipeline and the next; `;` also for a newline. With `&` all that `&&` and
   * `||` join up to here runs in the background.
   */
  readonly joiner: Joiner;
}

export type CommandList = readonly ListItem[];
