// @ts-check
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installChromiumIfNeeded } from './lib/chromium.mjs';
import { installIfNeeded } from './lib/install.mjs';
import { requireNode } from './lib/node-version.mjs';
import { runBeside, runTool, runToolBeside } from './lib/run.mjs';
import {
  countsOfCheck,
  countsOfOutcome,
  countsOfPlaywright,
  countsOfVitest,
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

// Two at a time: the formatter and most of a build keep to one core each.
const formatted = runToolBeside('prettier/bin/prettier.cjs', ['--check', '.']);
const built = formatted.then(async () => runBeside(process.execPath, ['scripts/build.mjs']));
const linted = runToolBeside('oxlint/bin/oxlint', ['--type-aware', '--deny-warnings']);
const typed = linted.then(async () => runToolBeside('typescript/bin/tsc', ['-b']));
await check('lint', linted);
await check('format', formatted);
await check('types', typed);
await check('build', built);

// Mostly waits for npm and the disk, so it goes beside the tests.
const freshClone = runBeside(process.execPath, ['scripts/fresh-clone.mjs']);

heading('unit and integration tests');
const vitestReport = join(reports, 'vitest.json');
const vitest = await runTool('vitest/vitest.mjs', [
  'run',
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${vitestReport}`,
]);
suites.push({ name: 'vitest', counts: countsOfVitest(readJson(vitestReport), vitest) });

heading('start from a fresh clone, without keytar');
const fresh = await freshClone;
process.stdout.write(fresh.output);
const outcome = outcomeOfExitCode(fresh.exitCode);
suites.push({ name: 'fresh clone', counts: countsOfOutcome(outcome) });

heading('browser tests');
const browserReport = join(reports, 'playwright.json');
const playwright = await runTool('@playwright/test/cli.js', ['test', '--reporter=list,json'], {
  PLAYWRIGHT_JSON_OUTPUT_FILE: browserReport,
});
suites.push({
  name: 'playwright',
  counts: countsOfPlaywright(readJson(browserReport), playwright),
});

rmSync(reports, { recursive: true, force: true });
heading('summary');
for (const { name, counts } of suites) console.log(`${name.padEnd(11)} ${sayCounts(counts)}`);
const sum = total(suites);
console.log(sayCounts(sum));
process.exitCode = sum.failed === 0 ? 0 : 1;

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
