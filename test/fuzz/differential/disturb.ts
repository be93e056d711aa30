import type { Random } from '../random.ts';

const sharp = [
  '$',
  '(',
  ')',
  '`',
  "'",
  '"',
  '\\',
  ';',
  '&',
  '|',
  '<',
  '>',
  '{',
  '}',
  '[',
  ']',
  '*',
  '?',
  '~',
  '#',
  '!',
  '\n',
  '\t',
  ' ',
  '=',
  ',',
  '\\\n',
  '$(',
  '$((',
  '&&',
  '||',
  '<<',
  '\r',
  '\u0000',
  '\u00a0',
  '-',
  '2',
  '@',
  '%',
  '^',
  ':',
  '..',
  ';;',
];

/** A small change that a hostile hand, or a slip, might make. */
export function disturb(random: Random, line: string): string {
  const at = random.below(line.length + 1);
  const kind = random.below(3);
  if (kind === 0) return line.slice(0, at) + line.slice(at + 1 + random.below(3));
  if (kind === 1) return line.slice(0, at) + random.pick(sharp) + line.slice(at);
  const from = random.below(line.length + 1);
  return line.slice(0, at) + line.slice(from, from + 1 + random.below(6)) + line.slice(at);
}
