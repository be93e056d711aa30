// @ts-check
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installChromiumIfNeeded } from './lib/chromium.mjs';
import { installIfNeeded } from './lib/install.mjs';
import { requireNode } from './lib/node-version.mjs';
import { runBeside, runTool, runToolBeside } from './lib/run.mjs';
import { root } from './lib/root.mjs';
import {
  countsAfterSecondTry,
  countsOfCheck,
  countsOfOutcome,
  countsOfPlaywright,
  countsOfVitest,
  failuresOfPlaywright,
  failuresOfVitest,
  outcomeOfExitCode,
  sayCounts,
  total,
} from './lib/summary.mjs';

requireNode();
await installIfNeeded();
await installChromiumIfNeeded();

const reports = mkdtempSync(join(tmpdir(), 'interlock-reports-'));
/** @type {import('./lib/summary.mjs').Suite[]} */
const suites = [];

// The build of the fresh clone is the one that is tested: the same files make the same build.
const freshClone = runBeside(process.execPath, ['scripts/fresh-clone.mjs', '--keep-build']);
const built = freshClone.then(async ({ exitCode }) =>
  exitCode === 0
    ? { exitCode, output: 'That of the fresh clone.\n' }
    : runBeside(process.execPath, ['scripts/build.mjs']),
);
const formatted = runBeside(process.execPath, ['scripts/format-check.mjs']);
const linted = runToolBeside('oxlint/bin/oxlint', ['--type-aware', '--deny-warnings']);
const typed = linted.then(async () => runToolBeside('typescript/bin/tsc', ['-b']));
await check('lint', linted);
await check('format', formatted);
await check('types', typed);
await check('build', built);

// Either of the two suites waits for processes a good part of its time.
const browserReport = join(reports, 'playwright.json');
const browserTests = runToolBeside('@playwright/test/cli.js', ['test', '--reporter=list,json'], {
  PLAYWRIGHT_JSON_OUTPUT_FILE: browserReport,
});

heading('unit and integration tests');
const { counts: vitestCounts, failed, flaky } = await unitTests();
suites.push({ name: 'vitest', counts: vitestCounts });

heading('start from a fresh clone, without keytar');
const fresh = await freshClone;
process.stdout.write(fresh.output);
const outcome = outcomeOfExitCode(fresh.exitCode);
suites.push({ name: 'fresh clone', counts: countsOfOutcome(outcome) });

heading('browser tests');
const { exitCode: playwright, output: browserOutput } = await browserTests;
process.stdout.write(browserOutput);
const browser = failuresOfPlaywright(readJson(browserReport));
suites.push({
  name: 'playwright',
  counts: countsOfPlaywright(readJson(browserReport), playwright),
});

rmSync(reports, { recursive: true, force: true });
list('failed', [...failed, ...browser.failed]);
list('passed on the second try only', [...flaky, ...browser.flaky]);
heading('summary');
for (const { name, counts } of suites) console.log(`${name.padEnd(11)} ${sayCounts(counts)}`);
const sum = total(suites);
console.log(sayCounts(sum));
process.exitCode = sum.failed === 0 ? 0 : 1;

/**
 * All of them at once, and what failed a second time, alone: on a machine that does everything at
 * once a test can run into a time that it does not measure. The second try is told, never hidden.
 */
async function unitTests() {
  const first = await vitest('vitest', []);
  const { files, names } = failuresOfVitest(first.report);
  if (files.length === 0) return { counts: first.counts, failed: names, flaky: [] };
  heading('what failed, a second time and alone');
  const second = await vitest('again', files);
  const again = new Set(failuresOfVitest(second.report).names);
  return {
    counts: countsAfterSecondTry(first.counts, second.counts),
    failed: names.filter((name) => again.has(name)),
    flaky: names.filter((name) => !again.has(name)),
  };
}

/**
 * @param {string} name of the report
 * @param {readonly string[]} files all when empty
 */
async function vitest(name, files) {
  const path = join(reports, `${name}.json`);
  const exitCode = await runTool('vitest/vitest.mjs', [
    'run',
    ...files,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${path}`,
  ]);
  const report = readJson(path);
  return { report, counts: countsOfVitest(report, exitCode) };
}

/**
 * @param {string} title
 * @param {readonly string[]} names
 */
function list(title, names) {
  if (names.length === 0) return;
  heading(title);
  for (const name of names) console.log(name.replace(`${root}/`, ''));
}

/**
 * @param {string} name
 * @param {ReturnType<typeof runBeside>} step
 */
async function check(name, step) {
  heading(name);
  const { exitCode, output } = await step;
  process.stdout.write(output);
  suites.push({ name, counts: countsOfCheck(exitCode) });
}

/** @param {string} name */
function heading(name) {
  console.log(`\n— ${name}`);
}

/** @param {string} path */
function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}
