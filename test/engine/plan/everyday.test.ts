import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { analyse } from './support/machine.ts';

const lines = readFileSync(
  new URL('../../fixtures/analysis/everyday-open.txt', import.meta.url),
  'utf8',
)
  .split('\n')
  .filter((line) => line !== '');

describe('everyday commands leave their trust to the rules', () => {
  test.each(lines)('%s', (line) => {
    const analysis = analyse(line);
    const found = analysis.ok
      ? analysis.plan.stages.map(({ trust }) => (trust.level === 'open' ? 'open' : trust.reason))
      : [analysis.detail];
    expect(new Set(found)).toEqual(new Set(['open']));
  });
});
