import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { quoteWord, quoteWords } from '../../../shared/engine/parse/shell-quote.ts';

const words = [
  '',
  'a',
  "it's",
  "'",
  "''",
  '"',
  '$HOME',
  '`id`',
  '$(id)',
  '\\',
  "\\'",
  'a\nb',
  '*',
  '~',
  '-n',
  '!',
  '{a,b}',
  '#',
  'é😀',
  '\t',
  '\u0001',
  'a;b&c|d',
];

test.each(['bash', 'dash'])('%s reads every quoted word back as it was', (shell) => {
  const text = `printf '%s\\0' ${words.map(quoteWord).join(' ')}`;
  const output = execFileSync(`/bin/${shell}`, ['-c', text]).toString();
  expect(output.split('\0').slice(0, -1)).toEqual(words);
});

test('words for display are quoted only where they must be', () => {
  expect(quoteWords(['git', 'log', '--format=%h', 'a b', '', "it's"])).toBe(
    "git log --format=%h 'a b' '' 'it'\\''s'",
  );
});
