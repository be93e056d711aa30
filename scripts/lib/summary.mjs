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
