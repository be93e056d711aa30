// @ts-check
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { root } from './root.mjs';

/**
 * Plays programs of the build in this process, and writes down the code that V8 has made of their
 * bundles by then, in the form that `shared/home/code-ahead.ts` reads: `runner` as a service starts,
 * which sets the engine for size, and `programs` as the command line and the console do.
 */

const chunks = join(root, 'dist/chunks');
const [play = '', target = join(chunks, `${play}.code`)] = process.argv.slice(2);
const require = createRequire(import.meta.url);
const loader = join(chunks, 'ahead.cjs');
const ahead = require(loader);
const { scriptOf } = ahead;
/** @type {Map<string, { readonly text: string, readonly script: import('node:vm').Script }>} */
const scripts = new Map();

// What the programs themselves put in this place would use code, and not make it.
Object.assign(require.cache[loader] ?? {}, { exports: { ...ahead, loadWithCode() {} } });
require.extensions['.cjs'] = (module, filename) => {
  const text = readFileSync(filename, 'latin1');
  const name = relative(chunks, filename);
  const script = scriptOf(text, name);
  if (['.', 'checks'].includes(dirname(name))) scripts.set(name, { text, script });
  const requireOf = (/** @type {string} */ id) => module.require(id);
  const folder = dirname(filename);
  script.runInThisContext()(module.exports, requireOf, module, filename, folder);
  // What came before was compiled under other settings of the engine.
  if (basename(filename).startsWith('small-footprint')) scripts.clear();
};

const home = mkdtempSync(join(tmpdir(), 'interlock-code-'));
// Nothing of who builds: what is compiled depends on the way that the run takes.
process.chdir(home);
process.env.PATH = '/usr/local/bin:/usr/bin:/bin';
process.env.HOME = home;
process.env.INTERLOCK_HOME = join(home, 'home');
process.once('exit', write);
// The build is out of patience: no half of a file, and no runner that nobody ends.
process.once('SIGTERM', () => process.off('exit', write).exit(1));
const program = (/** @type {string} */ path) => join(root, 'dist', path);
execFileSync(process.execPath, [program('runner/cli/main.js'), 'init'], { stdio: 'ignore' });

if (play === 'runner') {
  start('runner/main.js');
  // No request as well: what it compiles by the time that it is answered depends on the machine.
  await listening('runner.sock');
} else {
  const runner = spawn(process.execPath, [program('runner/main.js')]);
  process.once('exit', () => runner.kill('SIGKILL'));
  await listening('runner.sock');
  const { runProcess } = require(join(chunks, 'cli.cjs'));
  for (const args of [['status'], ['check', 'true'], ['box', 'ps']]) await runProcess(args, root);
  start('app/console/main.js');
  await listening('state/console-link');
}
// Last: nothing of this is to keep the code from being written.
process.once('exit', () => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
// No signal: the console hears one only once it has said where it is.
process.exit(0);

/** @param {string} path */
function start(path) {
  process.argv = [process.execPath, program(path)];
  require(program(path));
}

/** @param {string} name below the home */
async function listening(name) {
  while (!existsSync(join(home, 'home', name))) await delay(20);
}

function write() {
  const codes = [...scripts].map(([name, { text, script }]) => ({
    code: script.createCachedData(),
    entry: { name, digest: createHash('sha256').update(text, 'latin1').digest('hex') },
  }));
  const list = codes.map(({ entry, code }) => ({ ...entry, length: code.length }));
  const head = Buffer.from(JSON.stringify(list), 'latin1');
  const length = Buffer.alloc(4);
  length.writeUInt32LE(head.length);
  const all = Buffer.concat([length, head, ...codes.map(({ code }) => code)]);
  writeFileSync(target, all);
}
