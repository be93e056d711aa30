import { describe, expect, it } from 'vitest';
import { fitsLock } from '../../scripts/lib/install.mjs';
import {
  countsOfCheck,
  countsOfOutcome,
  countsOfPlaywright,
  countsOfVitest,
  sayCounts,
  total,
} from '../../scripts/lib/summary.mjs';

describe('the count at the end of "npm test"', () => {
  it('sums checks, unit tests and browser tests into one line', () => {
    const vitest = { numPassedTests: 10, numFailedTests: 1, numPendingTests: 2, numTodoTests: 1 };
    const playwright = { stats: { expected: 5, unexpected: 1, flaky: 1, skipped: 4 } };
    const suites = [
      { name: 'lint', counts: countsOfCheck(0) },
      { name: 'types', counts: countsOfCheck(2) },
      { name: 'fresh clone', counts: countsOfOutcome('skipped') },
      { name: 'vitest', counts: countsOfVitest(vitest, 1) },
      { name: 'playwright', counts: countsOfPlaywright(playwright, 1) },
    ];
    expect(sayCounts(total(suites))).toBe('17 passed, 3 failed, 8 skipped');
  });

  it.each([
    ['a report without failures from a run that failed', { numPassedTests: 3 }, 1, 3],
    ['no report at all', null, 1, 0],
    ['a run that tested nothing', { numPassedTests: 0 }, 0, 0],
  ])('counts %s as one failure', (_what, report, exitCode, passed) => {
    expect(countsOfVitest(report, exitCode)).toEqual({ passed, failed: 1, skipped: 0 });
    const stats = report === null ? null : { stats: { expected: passed } };
    expect(countsOfPlaywright(stats, exitCode)).toEqual({ passed, failed: 1, skipped: 0 });
  });
});

describe('what is installed', () => {
  const wanted = {
    packages: {
      '': { version: '0.1.0' },
      'node_modules/a': { version: '1.0.0' },
      'node_modules/other-platform': { version: '1.0.0', optional: true },
    },
  };

  it.each([
    ['the same version', { 'node_modules/a': { version: '1.0.0' } }, true],
    ['another version', { 'node_modules/a': { version: '1.0.1' } }, false],
    ['nothing', {}, false],
    [
      'another version of an optional package',
      {
        'node_modules/a': { version: '1.0.0' },
        'node_modules/other-platform': { version: '2.0.0' },
      },
      false,
    ],
  ])('fits the lockfile or not: %s', (_what, packages, fits) => {
    expect(fitsLock(wanted, { packages })).toBe(fits);
  });
});
