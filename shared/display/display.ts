import { codeName, markOf } from './characters.ts';
import type { CharacterMark, MarkReason } from './characters.ts';
import { letterLookalike } from './confusables.ts';

/** A stretch of text as it may be shown: plain, or a mark that stands for something unseen. */
export type DisplaySegment =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'mark';
      /** `ansi` is a terminal sequence that was taken out, shown as what it was. */
      readonly reason: MarkReason;
      /** What is shown instead: `⟨U+202E⟩`, `⟨ESC[31m⟩`; for a lookalike, itself and its code. */
      readonly text: string;
      /** In words, for a tooltip or a screen reader. */
      readonly meaning: string;
    };

export interface DisplayText {
  readonly segments: readonly DisplaySegment[];
  /** True when any segment is a mark. */
  readonly marked: boolean;
}

const plainText = /^[\x20-\x7e\n\t]*$/;
// CSI, OSC with printable content, and two-character sequences (ECMA-48).
const ansi = new RegExp(
  [
    String.raw`\u001b\[[0-?]*[ -/]*[@-~]`,
    String.raw`\u001b\][ -~]*(?:\u0007|\u001b\\)`,
    String.raw`\u001b[ -/]*[0-Z\\^-~]`,
  ].join('|'),
  'y',
);
const word = /[\p{L}\p{N}_]+/uy;
// A family of emoji is one picture, joined by characters that are otherwise hidden.
const emoji = /\p{Extended_Pictographic}\ufe0f?(?:\u200d\p{Extended_Pictographic}\ufe0f?)*/uy;

/** The whole text, never cut, with everything unseen or deceptive made visible. */
export function displayText(text: string): DisplayText {
  if (plainText.test(text)) return { segments: [{ kind: 'text', text }], marked: false };
  const segments: DisplaySegment[] = [];
  let plain = '';
  for (const piece of piecesOf(text)) {
    if (piece.mark === null) plain += piece.source;
    else {
      if (plain !== '') segments.push({ kind: 'text', text: plain });
      plain = '';
      segments.push({ kind: 'mark', ...piece.mark });
    }
  }
  if (plain !== '') segments.push({ kind: 'text', text: plain });
  return { segments, marked: segments.some(({ kind }) => kind === 'mark') };
}

/** The same as one string for a terminal: no control characters but newline and tab. */
export function displayPlain(text: string): string {
  return displayText(text)
    .segments.map((segment) => segment.text)
    .join('');
}

interface Piece {
  readonly source: string;
  readonly mark: CharacterMark | null;
}

function* piecesOf(text: string): Iterable<Piece> {
  for (let at = 0; at < text.length;) {
    const letters = matchAt(word, text, at);
    if (letters !== null) {
      yield* wordPieces(letters);
      at += letters.length;
    } else {
      const piece = signPiece(text, at);
      yield piece;
      at += piece.source.length;
    }
  }
}

function signPiece(text: string, at: number): Piece {
  const sequence = matchAt(ansi, text, at);
  if (sequence !== null) {
    const shown = sequence.slice(1).replaceAll('\u0007', '').replaceAll('\u001b', '');
    const meaning = 'terminal sequence, taken out';
    return { source: sequence, mark: { reason: 'ansi', text: `⟨ESC${shown}⟩`, meaning } };
  }
  const picture = matchAt(emoji, text, at);
  if (picture !== null) return { source: picture, mark: null };
  const source = String.fromCodePoint(text.codePointAt(at) ?? 0);
  return {
    source,
    mark: isPunctuation(source, text[at - 1], text[at + 1]) ? null : markOf(source),
  };
}

/**
 * A word of another script is no deception. Letters that look like ASCII are marked where they stand
 * among ASCII letters, or where a whole word could be taken for ASCII.
 */
function* wordPieces(letters: string): Iterable<Piece> {
  if (plainText.test(letters)) {
    yield { source: letters, mark: null };
    return;
  }
  const doubtful = /[A-Za-z]/.test(letters) || couldBeAscii(letters);
  for (const source of letters) {
    const mark = markOf(source) ?? (doubtful ? letterMark(source) : null);
    yield { source, mark };
  }
}

function couldBeAscii(letters: string): boolean {
  return Array.from(letters).every(
    (letter) => letterLookalike(letter) !== null || /[\d_]/.test(letter),
  );
}

function letterMark(letter: string): CharacterMark | null {
  const like = letterLookalike(letter);
  if (like === null) return null;
  const code = codeName(letter);
  const meaning = `${code}, looks like "${like}" and is another letter`;
  return { reason: 'confusable', text: `${letter}⟨${code}⟩`, meaning };
}

function matchAt(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? null;
}

/** An apostrophe inside a word (don’t) and a dash between blanks (a – b) deceive nobody. */
function isPunctuation(
  source: string,
  before: string | undefined,
  after: string | undefined,
): boolean {
  if (source === '\u2019') return isLetter(before) && isLetter(after);
  return source === '\u2013' && before === ' ' && after === ' ';
}

function isLetter(character: string | undefined): boolean {
  return character !== undefined && /\p{L}/u.test(character);
}
