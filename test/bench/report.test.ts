import { describe, expect, it } from 'vitest';
import { chartOf, documented, ratiosOf, slowerThan, tableOf } from './report.ts';
import type { Figures, Run } from './report.ts';

const times: Figures = {
  id: 'process',
  columns: ['one process', 'median', 'against an empty Node'],
  rows: [
    { name: 'node -e 0', cells: ['40 ms', '1.00 ×'], bar: 40, ratio: 1 },
    { name: '"run" & <true>', cells: ['50 ms', '1.25 ×'], bar: 50, ratio: 1.25 },
  ],
  unit: 'ms',
};
const rates: Figures = {
  id: 'rate',
  columns: ['a second', 'of bare'],
  rows: [{ name: 'exec', cells: ['0.70'], ratio: 0.7 }],
  greaterIs: 'better',
};
const run: Run = { day: '2026-01-02', machine: 'M', node: '20', load: [1, 2], ratios: {} };

describe('the report of a benchmark', () => {
  it('calls slower what takes a third more of its limit, and what does a third less', () => {
    const last = { 'process/node -e 0': 1, 'process/"run" & <true>': 0.9, 'rate/exec': 1 };
    expect(slowerThan(last, [times, rates])).toEqual([
      { name: 'process/"run" & <true>', was: 0.9, is: 1.25 },
      { name: 'rate/exec', was: 1, is: 0.7 },
    ]);
  });

  it('calls nothing slower that was as slow, has become faster, or was not there', () => {
    expect(slowerThan(ratiosOf([times, rates]), [times, rates])).toEqual([]);
    expect(slowerThan({ 'process/"run" & <true>': 9, 'rate/exec': 0.1 }, [times, rates])).toEqual(
      [],
    );
    expect(slowerThan({}, [times, rates])).toEqual([]);
  });

  it('draws a bar for each line that has a length, and nothing for a table without', () => {
    const drawing = chartOf(times) ?? '';
    expect([...drawing.matchAll(/<rect [^>]*width="(\d+)"/gu)].map(([, width]) => width)).toEqual([
      '240',
      '300',
    ]);
    expect(drawing).toContain('&quot;run&quot; &amp; &lt;true>');
    expect(chartOf(rates)).toBeNull();
  });

  it('puts the tables of this run in the place of those before, and leaves the rest of a page', () => {
    const page = documented(
      'above\n<!-- what follows is written by "npm run bench -- --docs" -->\nold\n<!-- up to here -->\nbelow\n',
      run,
      [times, rates],
    );
    expect(page).toMatch(/^above\n/u);
    expect(page).toMatch(/\nbelow\n$/u);
    expect(page).not.toContain('old');
    expect(page).toContain(tableOf(times).trimEnd());
    expect(page).toContain('![one process](images/process.svg)');
    expect(page).toContain('at a load of 1.0 at the start and 2.0 at the end');
    expect(documented(page, run, [times, rates])).toBe(page);
    expect(() => documented('no place', run, [times])).toThrow('no place');
  });

  it('leaves the tables of other flags alone', () => {
    const place = (flags: string, text: string): string =>
      `<!-- what follows is written by "npm run bench -- ${flags}" -->\n${text}\n<!-- up to here -->\n`;
    const page = documented(
      place('--docs', 'first') + place('--nodes --docs', 'second'),
      run,
      [times],
      '--nodes --docs',
    );
    expect(page).toContain(place('--docs', 'first'));
    expect(page).not.toContain('second');
    expect(page).toContain(tableOf(times).trimEnd());
  });
});
