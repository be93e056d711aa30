import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { analyse } from './support/machine.ts';

const lines = readFileSync(
  new URL('../../fixtures/analysis/everyday-open.txt', import.meta.url),
  'utf8',
)
  .split('\n')
  .filter((line) => line !== '');

/** They change something elsewhere: a rule has to name the subcommand. */
const telling = new Map([
  ['git push -u origin feature/x', 'push'],
  ['kubectl apply -f a.yaml', 'apply'],
  ['gh pr create --title x --body y', 'pr create'],
]);

describe('everyday commands leave their trust to the rules', () => {
  test.each(lines.filter((line) => !telling.has(line)))('%s', (line) => {
    const analysis = analyse(line);
    const found = analysis.ok
      ? analysis.plan.stages.map(({ trust }) => (trust.level === 'open' ? 'open' : trust.reason))
      : [analysis.detail];
    expect(new Set(found)).toEqual(new Set(['open']));
  });

  test.each([...telling])('%s: where they name %s', (line, words) => {
    const analysis = analyse(line);
    const [stage] = analysis.ok ? analysis.plan.stages : [];
    expect(stage?.trust).toMatchObject({ level: 'spelled' });
    const named = stage?.trust.level === 'spelled' ? stage.trust.words : [];
    expect(named.map((word) => stage?.argv[word + 1]).join(' ')).toBe(words);
  });
});
