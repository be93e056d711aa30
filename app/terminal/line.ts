import { characterWidth, textWidth } from './width.ts';

/** How a stretch of text looks. `danger` and `good` are colours where the terminal has them. */
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

/** What a line says, without its looks. */
export function plainText(line: Line): string {
  return line.map(({ text }) => text).join('');
}

/** Columns that a line takes. */
export function lineWidth(line: Line): number {
  return line.reduce((width, { text }) => width + textWidth(text), 0);
}

export interface WrapOptions {
  readonly width: number;
  /** In front of every row but the first, e.g. two spaces. */
  readonly indent?: string;
  /** Break between words where possible; otherwise exactly at the edge, so that nothing is lost. */
  readonly words?: boolean;
}

/** A line of any length as rows that fit. No character is dropped but the space at a word break. */
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
