// @ts-check
// `npm run agents:newest [-- NAME[@VERSION]…]`: fetches the newest version of each agent that is
// pinned, plays the scenarios of its contract with it, and says what broke. `--all` also plays pins
// that are the newest already. Ends with 1 when something broke, and else with 2 when something could
// not be tried.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pinnedIn, verdictOf } from './lib/newest-agents.mjs';
import { buildIfNeeded } from './lib/build.mjs';
import { installIfNeeded } from './lib/install.mjs';
import { requireNode } from './lib/node-version.mjs';
import { root } from './lib/root.mjs';
import { runTool } from './lib/run.mjs';

requireNode();
await installIfNeeded();
await buildIfNeeded();

const words = process.argv.slice(2);
const asked = new Map(
  words
    .filter((word) => !word.startsWith('--'))
    .map((word) => [word.split('@')[0] ?? '', word.split('@')[1]]),
);
const names = [...asked.keys()];
const programs = join(root, 'test/agents/support/programs');
const pins = readdirSync(programs)
  .map((file) => pinnedIn(readFileSync(join(programs, file), 'utf8'), process))
  .filter((pin) => pin !== null)
  .filter(({ name }) => names.length === 0 || names.includes(name));
const unknown = names.filter((name) => pins.every((pin) => pin.name !== name));
if (unknown.length > 0) {
  console.error(`No agent is pinned by this name: ${unknown.join(', ')}`);
  process.exit(2);
}

const reports = mkdtempSync(join(tmpdir(), 'interlock-newest-'));
try {
  for (const pin of pins) await tryNewest(pin);
} finally {
  rmSync(reports, { recursive: true, force: true });
}

/** @param {import('./lib/newest-agents.mjs').Pinned} pin */
async function tryNewest({ name, package: from, version }) {
  const { status, stdout } = spawnSync('npm', ['view', from, 'dist-tags.latest'], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  const newest = asked.get(name) ?? (status === 0 ? stdout.trim() : '');
  if (newest === '') {
    console.log(`${name}: the registry did not tell the newest version of ${from}`);
    process.exitCode ||= 2;
    return;
  }
  if (newest === version && !words.includes('--all')) {
    console.log(`${name} ${version}: is the newest`);
    return;
  }
  const file = join(reports, `${name}.json`);
  await runTool(
    'vitest/vitest.mjs',
    ['run', `test/agents/${name}.test.ts`, '--reporter=json', `--outputFile.json=${file}`],
    { INTERLOCK_REAL_AGENTS: name, INTERLOCK_AGENT_VERSIONS: `${name}=${newest}` },
  );
  const { word, lines } = verdictOf(reportIn(file));
  console.log(`${name} ${newest === version ? version : `${version} → ${newest}`}: ${word}`);
  for (const line of lines) console.log(`  ${line}`);
  if (word === 'BROKEN') process.exitCode = 1;
  else if (word === 'NOT TRIED') process.exitCode ||= 2;
}

/** @param {string} file */
function reportIn(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    // Without a report nothing was played.
    return null;
  }
}
