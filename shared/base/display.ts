/**
 * Characters that are easily taken for an ASCII character. Pairs: the lookalikes, what they look
 * like. A selection from the Unicode confusables data: letters of living scripts, and all signs that
 * mean something to a shell.
 */
const signs: readonly (readonly [lookalikes: string, like: string])[] = [
  ['\u2010\u2011\u2012\u2013\u2212\u02d7\ufe58\uff0d', '-'],
  ['\u2044\u2215\u29f8\u2571\uff0f\u3033', '/'],
  ['\u2216\u29f5\u29f9\ufe68\uff3c', '\\'],
  ['\u037e\uff1b\u061b\ufe54', ';'],
  ['\u01c0\u2223\u23d0\uff5c\u2758', '|'],
  ['\u2018\u2019\u201b\u2032\u02b9\u02bc\u02c8\uff07', "'"],
  ['\u201c\u201d\u201f\u2033\u02ba\uff02', '"'],
  ['\u02cb\u1fef\u2035\uff40', '`'],
  ['\uff04\ufe69', '$'],
  ['\uff06\ufe60', '&'],
  ['\u2039\uff1c\u02c2\u276e', '<'],
  ['\u203a\uff1e\u02c3\u276f', '>'],
  ['\u2024\u0660\u06f0\ua4f8\uff0e\ufe52', '.'],
  ['\u2217\u204e\uff0a\u066d', '*'],
  ['\u223c\u02dc\uff5e', '~'],
  ['\u2236\u02d0\ua789\uff1a\u0589\u05c3', ':'],
  ['\ua78a\uff1d\u1400', '='],
  ['\uff08\u2768', '('],
  ['\uff09\u2769', ')'],
  ['\uff5b\u2774', '{'],
  ['\uff5d\u2775', '}'],
  ['\u01c3\uff01\u2d51', '!'],
  ['\uff03', '#'],
  ['\u201a\uff0c\u066b', ','],
];

const lookalikeLetters: readonly (readonly [lookalikes: string, like: string])[] = [
  // Cyrillic
  ['авсԁеһіјӏорԛѕтхуԝ', 'abcdehijloqqstxyw'],
  ['АВСЕНІЈКМОРЅТХУԜ', 'ABCEHIJKMOPSTXYW'],
  // Greek
  ['αορνικυτ', 'aopvikut'],
  ['ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ', 'ABEZHIKMNOPTYX'],
  // Armenian, Hebrew, Cherokee
  ['աոսհօցո', 'wnuhogn'],
  ['ᎪᏴᏟᎠᎬᎻᎥᏦᏞᎷᏢᏒᏚᎢᏙᎳᏃ', 'ABCDEHiKLMPRSTVWZ'],
  // Latin letters outside ASCII that hide in a name
  ['ıɑɡӏℓ', 'iagll'],
];

const table = new Map<string, string>();
for (const [lookalikes, like] of signs) {
  for (const sign of lookalikes) table.set(sign, like);
}
const letterTable = new Map<string, string>();
for (const [lookalikes, like] of lookalikeLetters) {
  for (const [index, letter] of Array.from(lookalikes).entries()) {
    letterTable.set(letter, like[index] ?? '?');
  }
}

/** Full-width forms and mathematical letters: their compatibility form is plain ASCII. */
function compatibleAscii(character: string): string | null {
  const code = character.codePointAt(0) ?? 0;
  const stylistic = (code >= 0xff01 && code <= 0xff5e) || (code >= 0x1d400 && code <= 0x1d7ff);
  const plain = stylistic ? character.normalize('NFKC') : '';
  return /^[\x21-\x7e]$/.test(plain) ? plain : null;
}

/** The ASCII sign or styled letter that a character is always taken for, or null. */
function confusableWith(character: string): string | null {
  return table.get(character) ?? compatibleAscii(character);
}

/** The ASCII letter that a letter of another script looks like, or null. */
function letterLookalike(character: string): string | null {
  return letterTable.get(character) ?? null;
}

type MarkReason = 'control' | 'bidi' | 'invisible' | 'confusable' | 'ansi';

interface CharacterMark {
  readonly reason: MarkReason;
  readonly text: string;
  readonly meaning: string;
}

const bidi = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
const spaces = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/u;
// Fillers and blanks that Unicode does not class as format characters.
const blanks = new RegExp(
  String.raw`[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\uffa0\ufe00-\ufe0f\u{e0100}-\u{e01ef}]`,
  'u',
);
const unseen = /[\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}]/u;
const control = /\p{Cc}/u;

/** How a character must be shown, or null when it may stand as it is. */
function markOf(character: string): CharacterMark | null {
  const code = codeName(character);
  if (character === '\n' || character === '\t') return null;
  if (control.test(character)) {
    return { reason: 'control', text: `⟨${code}⟩`, meaning: `control character ${code}` };
  }
  if (bidi.test(character)) {
    const meaning = `${code} changes the direction in which text is shown`;
    return { reason: 'bidi', text: `⟨${code}⟩`, meaning };
  }
  if (spaces.test(character)) {
    return {
      reason: 'invisible',
      text: `⟨${code}⟩`,
      meaning: `${code}, a blank that is not a space`,
    };
  }
  if (blanks.test(character) || unseen.test(character)) {
    return { reason: 'invisible', text: `⟨${code}⟩`, meaning: `invisible character ${code}` };
  }
  const like = confusableWith(character);
  if (like === null) return null;
  const meaning = `${code}, looks like "${like}" and is another character`;
  return { reason: 'confusable', text: `${character}⟨${code}⟩`, meaning };
}

/** `U+202E`. */
function codeName(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

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

interface DisplayText {
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

/**
 * What a reader takes a name for: without what is not seen, lookalikes as what they look like, one case.
 * Two that read alike are equal. It is for comparing, and not for showing.
 */
export function readAs(name: string): string {
  const letters = Array.from(name.normalize('NFKC'), (letter) => {
    if (spaces.test(letter)) return ' ';
    if (bidi.test(letter) || blanks.test(letter) || unseen.test(letter)) return '';
    return letterLookalike(letter) ?? confusableWith(letter) ?? letter;
  });
  return letters.join('').toLowerCase().normalize('NFKC').replaceAll(/\s+/gu, ' ').trim();
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
