/** Zero-width: combining marks, joiners and variation selectors. */
const zeroWidth = /^[\p{Mn}\p{Me}\p{Cf}]$/u;

/** First and last code points of the wide blocks: Hangul, CJK, fullwidth forms, emoji. */
const wideRanges: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x231a, 0x231b],
  [0x2329, 0x232a],
  [0x23e9, 0x23f3],
  [0x25fd, 0x25fe],
  [0x2614, 0x2615],
  [0x2648, 0x2653],
  [0x26a1, 0x26a1],
  [0x2705, 0x2705],
  [0x274c, 0x274c],
  [0x2753, 0x2757],
  [0x2795, 0x2797],
  [0x2e80, 0x303e],
  [0x3041, 0xa4cf],
  [0xa960, 0xa97c],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1f64f],
  [0x1f680, 0x1f6ff],
  [0x1f900, 0x1f9ff],
  [0x1fa70, 0x1faff],
  [0x20000, 0x3fffd],
];

/** Columns that one character takes in a terminal: 0, 1 or 2. Counted as wide where terminals differ. */
function characterWidth(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x300) return 1;
  if (zeroWidth.test(character)) return 0;
  return wideRanges.some(([first, last]) => code >= first && code <= last) ? 2 : 1;
}

/** Columns that a text takes. It must hold no control characters. */
function textWidth(text: string): number {
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

/** How a piece of text looks. `danger` and `good` are colours where the terminal has them. */
export type Look = 'plain' | 'strong' | 'faint' | 'danger' | 'caution' | 'good' | 'bar' | 'alarm';

/** Text without control characters. */
export interface Piece {
  readonly text: string;
  readonly look: Look;
}

/** One row of the screen. */
export type Line = readonly Piece[];

/** A piece of a line. */
export function piece(text: string, look: Look = 'plain'): Piece {
  return { text, look };
}

/** Columns that a line takes. */
export function lineWidth(line: Line): number {
  return line.reduce((width, { text }) => width + textWidth(text), 0);
}

interface WrapOptions {
  readonly width: number;
  /** In front of every row but the first, e.g. two spaces. */
  readonly indent?: string;
  /** Break between words where possible; otherwise exactly at the edge, so that nothing is lost. */
  readonly words?: boolean;
}

/** A line of any length as rows that fit. Only the space at a word break is dropped. */
export function wrap(line: Line, { width, indent = '', words = false }: WrapOptions): Line[] {
  const rows: Piece[][] = [[]];
  const room = Math.max(4, width);
  let used = 0;
  const newRow = (): void => {
    rows.push(indent === '' ? [] : [piece(indent)]);
    used = textWidth(indent);
  };
  const put = (text: string, look: Look): void => {
    const row = rows.at(-1) ?? [];
    const last = row.at(-1);
    if (last?.look === look) row[row.length - 1] = piece(last.text + text, look);
    else row.push(piece(text, look));
  };
  for (const { text, look } of line) {
    for (const chunk of words ? text.split(/(?<= )/) : [text]) {
      const bare = textWidth(chunk.trimEnd());
      if (words && used > textWidth(indent) && used + bare > room) newRow();
      let pending = '';
      for (const character of chunk) {
        const columns = characterWidth(character);
        if (used + columns > room) {
          put(pending, look);
          pending = '';
          if (words && character === ' ') continue;
          newRow();
        }
        pending += character;
        used += columns;
      }
      if (pending !== '') put(pending, look);
    }
  }
  return rows;
}

/** A line cut to a width, with a mark where something is missing. */
export function fit(line: Line, width: number): Line {
  if (lineWidth(line) <= width) return line;
  const kept: Piece[] = [];
  let used = 0;
  for (const { text, look } of line) {
    let pending = '';
    for (const character of text) {
      const columns = characterWidth(character);
      if (used + columns > width - 1) return [...kept, piece(`${pending}…`, look)];
      pending += character;
      used += columns;
    }
    kept.push(piece(pending, look));
  }
  return kept;
}

const coloured: Readonly<Record<Look, string>> = {
  plain: '',
  strong: '1',
  faint: '2',
  danger: '1;31',
  caution: '33',
  good: '32',
  bar: '7',
  alarm: '1;37;41',
};

/** Without colours the same differences are shown by weight and inversion. */
const uncoloured: Readonly<Record<Look, string>> = {
  ...coloured,
  danger: '1;4',
  caution: '4',
  good: '',
  alarm: '1;7',
};

/** A line as bytes for a terminal; every style ends with its own reset. */
export function ansiLine(line: Line, { colours }: { readonly colours: boolean }): string {
  const codes = colours ? coloured : uncoloured;
  return line
    .map(({ text, look }) => (codes[look] === '' ? text : `\u001B[${codes[look]}m${text}\u001B[0m`))
    .join('');
}

/** Control sequences of the terminal, by what they do. */
export const terminal = {
  enter: '\u001B[?1049h\u001B[?25l\u001B[?2004h\u001B[?1004h',
  leave: '\u001B[?1004l\u001B[?2004l\u001B[?25h\u001B[?1049l\u001B[0m',
  home: '\u001B[H',
  clearToLineEnd: '\u001B[K',
  clearBelow: '\u001B[J',
  bell: '\u0007',
} as const;

/** The sequence that sets the window's title. The title must hold no control characters. */
export function titleSequence(title: string): string {
  return `\u001B]0;${title}\u0007`;
}
