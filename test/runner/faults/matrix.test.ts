import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { faults, ordeal } from './ordeal.ts';
import type { Fault, Verdict } from './ordeal.ts';
import { steps } from './step-ports.ts';
import type { Step } from './step-ports.ts';

/** `fault | step | end | ran | rows`, one line for each pair. */
const expected = new Map(
  readFileSync(new URL('../../fixtures/faults/matrix.txt', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): readonly [string, string] => {
      const [fault = '', step = '', ...rest] = line.split('|').map((cell) => cell.trim());
      return [`${fault} ${step}`, rest.join(' | ').trim()];
    }),
);

/** Whatever goes wrong: run once and recorded, or not run, and recorded or told to the operator. */
function isTruthful({ ran, rows, toldOfRows, end }: Verdict): boolean {
  const allowed = rows.filter((row) => row.startsWith('allow')).length;
  const denied = rows.filter((row) => row.startsWith('deny')).length;
  const closed = rows.filter((row) => /^(?:executed|not-executed|unknown)/.test(row)).length;
  // A runner that dies before its decision leaves no row and has run nothing.
  if (end === 'gone' && allowed + denied === 0) return ran === 0;
  if (ran > 0) return ran === 1 && allowed === 1 && denied === 0 && (closed === 1 || toldOfRows);
  if (end.startsWith('ran')) return end === 'ran 127' && allowed === 1 && closed === 1;
  return allowed + denied === 1 ? allowed === closed : toldOfRows;
}

describe.each(faults)('%s', (fault: Fault) => {
  test.each(steps)('right before the step: %s', async (step: Step) => {
    const verdict = await ordeal(fault, step);
    const { end, ran, rows } = verdict;
    const said = [end, String(ran), rows.join(', ')].join(' | ').trim();
    expect(said).toBe(expected.get(`${fault} ${step}`));
    expect([verdict, isTruthful(verdict)]).toEqual([verdict, true]);
  });
});

test('every pair of a fault and a step is in the table, and no other', () => {
  const pairs = faults.flatMap((fault) => steps.map((step) => `${fault} ${step}`));
  expect([...expected.keys()].toSorted()).toEqual(pairs.toSorted());
});
