import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { trustOf } from './support/machine.ts';

const lines = readFileSync(new URL('../../fixtures/analysis/bypasses.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => {
    const [expected = '', source = '', command = ''] = line.split('\t');
    const text = command.startsWith('json:') ? String(JSON.parse(command.slice(5))) : command;
    return { expected, source, text };
  });

describe('known ways around a gate end as they should', () => {
  test.each(lines)('$source: $text → $expected', ({ expected, text }) => {
    expect(trustOf(text)).toBe(expected);
  });

  test('the list is whole', () => {
    expect(lines.length).toBeGreaterThan(300);
  });
});
