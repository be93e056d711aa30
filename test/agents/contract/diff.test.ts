import { expect, test } from 'vitest';
import { unifiedDiff } from '../../../shared/agents/call.ts';

test('a diff shows three lines around what differs', () => {
  const lines = Array.from({ length: 20 }, (_, at) => `line ${String(at)}`);
  const after = lines.with(10, 'changed');
  expect(unifiedDiff('a', lines.join('\n'), after.join('\n')).split('\n').slice(2, -1)).toEqual([
    '@@ -8,7 +8,7 @@',
    ' line 7',
    ' line 8',
    ' line 9',
    '-line 10',
    '+changed',
    ' line 11',
    ' line 12',
    ' line 13',
  ]);
});

test('a missing line break at the end is said', () => {
  expect(unifiedDiff('a', 'x\n', 'x')).toContain('\\ No newline at end of file');
});

test('texts that differ everywhere are shown whole, removed and added', () => {
  const text = (word: string): string =>
    Array.from({ length: 3000 }, (_, at) => `${word} ${String(at)}`).join('\n');
  const diff = unifiedDiff('a', text('old'), text('new'));
  expect(diff).toContain('@@ -1,3000 +1,3000 @@');
  expect(diff.split('\n').filter((line) => line.startsWith('-old'))).toHaveLength(3000);
  expect(diff.split('\n').filter((line) => line.startsWith('+new'))).toHaveLength(3000);
});
