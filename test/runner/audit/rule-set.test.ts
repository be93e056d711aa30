import { expect, test } from 'vitest';
import { loadRuleSet, redactKept } from '../../../runner/audit/rule-set.ts';
import { redact } from '../../../shared/engine/index.ts';

/** Named by a comment only, which our own mechanisms do not go by; put together so that no scanner takes it for one. */
const text = ['linear', ['lin', 'api', 'A1b2C3d4E5'.repeat(4)].join('_')].join(' ');

test('the rule set is asked once it is loaded, and loading twice does no harm', async () => {
  await loadRuleSet();
  await loadRuleSet();
  expect(redactKept(text)).toBe('linear [redacted]');
  expect(redactKept('git log --oneline')).toBe('git log --oneline');
});

test('what others find is hidden together with our own finds', () => {
  const more = (whole: string) => [{ from: whole.indexOf('odd'), to: whole.indexOf('odd') + 6 }];
  expect(redact('tool odd123 --password x1y2z3', more)).toBe(
    'tool [redacted] --password [redacted]',
  );
});
