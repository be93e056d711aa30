import { describe, expect, test } from 'vitest';
import { exportName, exportedRules } from '../../../app/renderer/allowlist/exchange/exchange.ts';
import { withRules } from '../../../app/renderer/allowlist/merge.ts';
import { hyphenated } from '../../../app/renderer/text/format.ts';
import { monthOf } from '../../../e2e/gallery-page/canned-answers.ts';
import { barsOf, chartHeight } from '../../../app/renderer/history/Chart.tsx';
import { acceleratorOf } from '../../../app/renderer/settings/accelerator.ts';
import { de } from '../../../app/renderer/text/de.ts';
import { refusalCodes } from '../../../shared/base/refusal.ts';
import { riskCodes } from '../../../shared/engine/risk/finding.ts';

test('words with hyphens stay whole, and nothing of the text is lost', () => {
  const command = 'git push --force-with-lease origin\tmain-2 -- a b';
  const pieces = hyphenated(command);
  expect(pieces.map(({ word }) => word).join('')).toBe(command);
  expect(pieces.filter(({ whole }) => whole).map(({ word }) => word)).toEqual([
    '--force-with-lease',
    'main-2',
    '--',
  ]);
});

describe('a shortcut', () => {
  const none = { ctrlKey: false, altKey: false, shiftKey: false, metaKey: false };
  test.each([
    [{ ...none, ctrlKey: true, shiftKey: true, code: 'KeyL' }, false, 'Control+Shift+L'],
    [{ ...none, metaKey: true, code: 'ArrowUp' }, true, 'Command+Up'],
    [{ ...none, metaKey: true, altKey: true, code: 'F9' }, false, 'Alt+Super+F9'],
    [{ ...none, code: 'KeyL' }, false, null],
    [{ ...none, shiftKey: true, code: 'KeyL' }, false, null],
    [{ ...none, ctrlKey: true, code: 'AudioVolumeUp' }, false, null],
  ])('%o is %s', (press, mac, wanted) => {
    expect(acceleratorOf(press, mac)).toBe(wanted);
  });
});

test('the bars stand on each other and fill the chart on the highest day', () => {
  const bars = barsOf(monthOf(true).days);
  expect(bars).toHaveLength(30);
  for (const { needed, extra } of bars) {
    expect(extra.y + extra.height).toBeCloseTo(needed.y);
    expect(needed.y + needed.height).toBeCloseTo(chartHeight);
  }
  expect(Math.min(...bars.map(({ extra }) => extra.y))).toBe(0);
});

test('a chart without any ask has no height and no division by zero', () => {
  const heights = barsOf(monthOf(false).days).flatMap(({ needed, extra }) => [
    needed.height,
    extra.height,
  ]);
  expect(new Set(heights)).toEqual(new Set([0]));
});

test('an export holds the rules of one agent, and not when they were used', () => {
  const rule = { id: 'a', pattern: 'git', lastUsedAt: 1, uses: 3, note: 'kept' };
  const document = { version: 1, agents: { a: { allowlist: [rule] }, b: {} } } as const;
  expect(JSON.parse(exportedRules(document, 'a'))).toEqual({
    version: 1,
    agents: { a: { allowlist: [{ id: 'a', pattern: 'git', note: 'kept' }] } },
  });
  expect(exportName('a/../b')).toBe('interlock-rules-a_.._b.json');
});

test('rules are added behind those of their agents, and nothing else changes', () => {
  const document = {
    version: 1,
    agents: { a: { allowlist: [{ id: '1', pattern: 'x' }] } },
  } as const;
  const next = withRules(document, [
    { agent: 'a', rule: { id: '2', pattern: 'y' } },
    { agent: 'b', rule: { id: '3', pattern: 'z' } },
  ]);
  expect(next.agents?.['a']?.allowlist?.map(({ id }) => id)).toEqual(['1', '2']);
  expect(next.agents?.['b']?.allowlist?.map(({ id }) => id)).toEqual(['3']);
});

test('German has a sentence for every code that the gate may send', () => {
  expect(Object.keys(de.codes.refusals).toSorted()).toEqual([...refusalCodes].toSorted());
  expect(Object.keys(de.codes.risks).toSorted()).toEqual([...riskCodes].toSorted());
});
