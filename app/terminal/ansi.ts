import type { Line, Look } from './line.ts';

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

/** Without colours the same differences are told by weight and inversion. */
const uncoloured: Readonly<Record<Look, string>> = {
  ...coloured,
  danger: '1;4',
  caution: '4',
  good: '',
  alarm: '1;7',
};

/** A line as bytes for a terminal; every look ends with its own reset. */
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
