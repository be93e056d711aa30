import { describe, expect, it } from 'vitest';
import { fitsLock, neededForMachine } from '../../scripts/lib/install.mjs';
import {
  countsAfterSecondTry,
  countsOfCheck,
  countsOfOutcome,
  countsOfPlaywright,
  countsOfVitest,
  failuresOfPlaywright,
  failuresOfVitest,
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

describe('what failed', () => {
  const file = (name: string, failed: number): unknown => ({
    name,
    status: failed === 0 ? 'passed' : 'failed',
    assertionResults: Array.from({ length: failed + 1 }, (_, n) => ({
      fullName: `test ${n}`,
      status: n < failed ? 'failed' : 'passed',
    })),
  });

  it('is named, and its files run a second time', () => {
    const report = { testResults: [file('a.test.ts', 1), file('b.test.ts', 0)] };
    expect(failuresOfVitest(report)).toEqual({
      files: ['a.test.ts'],
      names: ['a.test.ts: test 0'],
    });
  });

  it('is no accident when it is much', () => {
    const report = { testResults: [file('a.test.ts', 6)] };
    expect(failuresOfVitest(report)).toMatchObject({ files: [], names: { length: 6 } });
    expect(failuresOfVitest(null)).toEqual({ files: [], names: [] });
  });

  it('is named where a file does not even load', () => {
    const broken = {
      name: 'a.test.ts',
      status: 'failed',
      message: 'No such module\n at …',
      assertionResults: [],
    };
    expect(failuresOfVitest({ testResults: [broken] })).toEqual({
      files: ['a.test.ts'],
      names: ['a.test.ts: No such module'],
    });
  });

  it('counts as failed when it fails twice, and as passed when it does not', () => {
    const first = { passed: 10, failed: 3, skipped: 1 };
    const second = { passed: 7, failed: 1, skipped: 0 };
    expect(countsAfterSecondTry(first, second)).toEqual({ passed: 12, failed: 1, skipped: 1 });
  });

  it('is told of the browser tests, apart from what passed on its second try', () => {
    const spec = (title: string, status: string): unknown => ({
      file: 'a.spec.ts',
      line: 3,
      title,
      tests: [{ status }],
    });
    const inner = { specs: [spec('one', 'unexpected'), spec('two', 'flaky')] };
    const report = { suites: [{ suites: [inner], specs: [spec('three', 'expected')] }] };
    expect(failuresOfPlaywright(report)).toEqual({
      failed: ['a.spec.ts:3: one'],
      flaky: ['a.spec.ts:3: two'],
    });
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

  const machine = { os: 'linux', cpu: 'x64', libc: 'glibc' };

  it('installs what was made for this machine, and only that', () => {
    const made = { os: ['linux'], cpu: ['x64'] };
    const lock = {
      packages: {
        'node_modules/keytar': { version: '1.0.0', optional: true },
        'node_modules/@made/gnu': { version: '1.2.0', optional: true, ...made, libc: ['glibc'] },
        'node_modules/@made/musl': { version: '1.2.0', optional: true, ...made, libc: ['musl'] },
        'node_modules/@made/there': { version: '1.2.0', optional: true, ...made },
        'node_modules/a/node_modules/deep': { version: '2.0.0', optional: true, ...made },
        'node_modules/@made/mac': { version: '1.2.0', os: ['darwin'], cpu: ['x64'] },
      },
    };
    const isThere = (path: string): boolean => path.endsWith('/there');
    expect(neededForMachine(lock, isThere, machine)).toEqual([
      '@made/gnu@1.2.0',
      'deep@2.0.0',
      '@made/there@1.2.0',
    ]);
    expect(neededForMachine(lock, (path) => !path.endsWith('/mac'), machine)).toEqual([]);
  });

  it('keeps what is optional and there, which npm would take away', () => {
    const lock = {
      packages: {
        'node_modules/made': { version: '1.0.0', optional: true, os: ['linux'], cpu: ['x64'] },
        'node_modules/keytar': { version: '2.0.0', optional: true },
        'node_modules/keytar/node_modules/inner': { version: '3.0.0', optional: true },
        'node_modules/needed': { version: '4.0.0' },
      },
    };
    const isThere = (path: string): boolean => path !== 'node_modules/made';
    expect(neededForMachine(lock, isThere, machine)).toEqual(['made@1.0.0', 'keytar@2.0.0']);
  });
});
