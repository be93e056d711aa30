// @ts-check

/**
 * @typedef {{ readonly passed: number, readonly failed: number, readonly skipped: number }} Counts
 * @typedef {{ readonly name: string, readonly counts: Counts }} Suite
 */

/**
 * A check that is one test by itself.
 *
 * @param {number} exitCode
 * @returns {Counts}
 */
export function countsOfCheck(exitCode) {
  return exitCode === 0
    ? { passed: 1, failed: 0, skipped: 0 }
    : { passed: 0, failed: 1, skipped: 0 };
}

/**
 * A check that is one test by itself, and that not every machine can make.
 *
 * @param {'passed' | 'failed' | 'skipped'} outcome
 * @returns {Counts}
 */
export function countsOfOutcome(outcome) {
  return { passed: 0, failed: 0, skipped: 0, [outcome]: 1 };
}

/** What says "skipped" in the exit status of a check, as in Automake's tests. */
const skippedStatus = 77;

/** @param {'passed' | 'failed' | 'skipped'} outcome */
export function exitCodeOfOutcome(outcome) {
  return { passed: 0, failed: 1, skipped: skippedStatus }[outcome];
}

/**
 * @param {number} exitCode
 * @returns {'passed' | 'failed' | 'skipped'}
 */
export function outcomeOfExitCode(exitCode) {
  if (exitCode === skippedStatus) return 'skipped';
  return exitCode === 0 ? 'passed' : 'failed';
}

/**
 * Counts of a vitest JSON report. A run that failed without a failed test (a file that does not
 * load, an error outside of tests, no report at all) counts as one failure.
 *
 * @param {any} report
 * @param {number} exitCode
 * @returns {Counts}
 */
export function countsOfVitest(report, exitCode) {
  return atLeastOneFailure(
    {
      passed: report?.numPassedTests ?? 0,
      failed: report?.numFailedTests ?? 0,
      skipped: (report?.numPendingTests ?? 0) + (report?.numTodoTests ?? 0),
    },
    exitCode,
  );
}

/**
 * Counts of a Playwright JSON report, in the same way. A flaky test has passed in the end.
 *
 * @param {any} report
 * @param {number} exitCode
 * @returns {Counts}
 */
export function countsOfPlaywright(report, exitCode) {
  const stats = report?.stats ?? {};
  return atLeastOneFailure(
    {
      passed: (stats.expected ?? 0) + (stats.flaky ?? 0),
      failed: stats.unexpected ?? 0,
      skipped: stats.skipped ?? 0,
    },
    exitCode,
  );
}

/** So many failures are no accident, and are not looked at a second time. */
const mostAccidents = 5;

/**
 * What failed in a vitest JSON report: the files to run a second time, none where that would be of
 * no use, and a line for each test.
 *
 * @param {any} report
 * @returns {{ readonly files: readonly string[], readonly names: readonly string[] }}
 */
export function failuresOfVitest(report) {
  /** @type {readonly any[]} */
  const files = (report?.testResults ?? []).filter(
    (/** @type {any} */ { status }) => status === 'failed',
  );
  const names = files.flatMap(({ name, message, assertionResults }) => {
    const failed = assertionResults.filter((/** @type {any} */ { status }) => status === 'failed');
    if (failed.length === 0) return [`${name}: ${String(message).split('\n')[0]}`];
    return failed.map((/** @type {any} */ { fullName }) => `${name}: ${fullName}`);
  });
  const accident = names.length > 0 && names.length <= mostAccidents;
  return { files: accident ? files.map(({ name }) => name) : [], names };
}

/**
 * The counts of a run whose failed files ran a second time, alone. A test that fails twice has failed.
 *
 * @param {Counts} first
 * @param {Counts} second
 * @returns {Counts}
 */
export function countsAfterSecondTry(first, second) {
  const mended = Math.max(0, first.failed - second.failed);
  return { ...first, passed: first.passed + mended, failed: first.failed - mended };
}

/**
 * A line for each test of a Playwright JSON report that failed, and for each that passed only on its
 * second try.
 *
 * @param {any} report
 * @returns {{ readonly failed: readonly string[], readonly flaky: readonly string[] }}
 */
export function failuresOfPlaywright(report) {
  /** @type {{ failed: string[], flaky: string[] }} */
  const found = { failed: [], flaky: [] };
  const walk = (/** @type {any} */ { suites = [], specs = [] }) => {
    for (const { file, line, title, tests } of specs)
      for (const { status } of tests) {
        if (status === 'unexpected') found.failed.push(`${file}:${line}: ${title}`);
        if (status === 'flaky') found.flaky.push(`${file}:${line}: ${title}`);
      }
    for (const suite of suites) walk(suite);
  };
  walk(report ?? {});
  return found;
}

/**
 * @param {Counts} counts
 * @param {number} exitCode
 * @returns {Counts}
 */
function atLeastOneFailure(counts, exitCode) {
  const empty = counts.passed + counts.failed + counts.skipped === 0;
  return (exitCode !== 0 || empty) && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}

/**
 * @param {Counts} counts
 * @returns {string}
 */
export function sayCounts({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

/**
 * @param {readonly Suite[]} suites
 * @returns {Counts}
 */
export function total(suites) {
  return suites.reduce(
    (sum, { counts }) => ({
      passed: sum.passed + counts.passed,
      failed: sum.failed + counts.failed,
      skipped: sum.skipped + counts.skipped,
    }),
    { passed: 0, failed: 0, skipped: 0 },
  );
}
