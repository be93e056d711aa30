// @ts-check
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { root } from './root.mjs';

/** What may say where packages come from; a machine behind a proxy or a mirror needs it. */
const sources =
  /^(?:npm_config_(?:registry|cafile|proxy|https_proxy|noproxy)|https?_proxy|no_proxy|node_extra_ca_certs)$/iu;

/**
 * Starts the product as somebody who has just cloned it: the tracked files in an empty folder, an
 * empty HOME, no variable of ours, without optional packages, and no install script runs. "npm
 * start" itself has to bring what the build needs on this machine.
 *
 * @param {{ readonly keepBuild: boolean }} options whether what was built becomes the build of this checkout
 * @returns {Promise<'passed' | 'failed' | 'skipped'>}
 */
export async function tryFreshClone({ keepBuild }) {
  const files = trackedFiles();
  if (files === null || process.platform === 'win32') {
    const whyNot = files === null ? 'git does not list the files here' : 'this is Windows';
    console.warn(`NOT TESTED: a start from a fresh clone, because ${whyNot}.`);
    return 'skipped';
  }
  const folder = mkdtempSync(join(tmpdir(), 'interlock-fresh-'));
  const clone = join(folder, 'clone');
  const home = join(folder, 'home');
  mkdirSync(home, { mode: 0o700 });
  const path = [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter);
  const env = { ...npmSources(), HOME: home, PATH: path, TERM: 'dumb' };
  try {
    for (const file of files)
      cpSync(join(root, file), join(clone, file), { verbatimSymlinks: true });
    install(clone, env);
    await startAndStop(clone, env);
    if (keepBuild) moveBuild(clone);
    return 'passed';
  } catch (error) {
    console.error(`A fresh clone does not start: ${sentenceOf(error)}`);
    return 'failed';
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/**
 * The times stay, for the stamp of the build: a source that was changed since is newer.
 *
 * @param {string} clone
 */
function moveBuild(clone) {
  const [from, to] = [join(clone, 'dist'), join(root, 'dist')];
  for (const name of readdirSync(from)) {
    rmSync(join(to, name), { recursive: true, force: true });
    cpSync(join(from, name), join(to, name), { recursive: true, preserveTimestamps: true });
  }
}

/** The files that a clone would have, as they stand here now; null where git cannot tell. */
function trackedFiles() {
  try {
    const names = execFileSync('git', ['ls-files', '-z'], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 64 * 1024 * 1024,
    });
    return names.split('\0').filter((name) => name !== '' && existsSync(join(root, name)));
  } catch {
    return null;
  }
}

/**
 * Where npm gets its packages from on this machine, and nothing else of its settings.
 *
 * @returns {Readonly<Record<string, string>>}
 */
function npmSources() {
  const settings = ['cache', 'userconfig'].map((key) => {
    const value = execFileSync('npm', ['config', 'get', key], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
    return [`npm_config_${key}`, value];
  });
  const passed = Object.entries(process.env).flatMap(([name, value]) =>
    sources.test(name) && value !== undefined ? [[name, value]] : [],
  );
  return Object.fromEntries([...passed, ...settings]);
}

/**
 * @param {string} clone
 * @param {Readonly<Record<string, string>>} env
 */
function install(clone, env) {
  const quietly = ['--no-audit', '--no-fund', '--loglevel=error', '--prefer-offline'];
  execFileSync('npm', ['ci', '--omit=optional', '--ignore-scripts', ...quietly], {
    cwd: clone,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/**
 * `npm start` until `interlock status` answers, then Ctrl-C. Throws with what was said otherwise.
 *
 * @param {string} clone
 * @param {Readonly<Record<string, string>>} env
 */
async function startAndStop(clone, env) {
  const started = spawn('npm', ['start'], {
    cwd: clone,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [started.stdout, started.stderr])
    stream.on('data', (/** @type {Buffer} */ bytes) => (said += bytes.toString()));
  const ended = new Promise((resolve) => started.once('close', resolve));
  try {
    await until(120_000, () => {
      if (started.exitCode !== null) throw new Error('"npm start" ended.');
      return /^approver .*\bconsole\b/mu.test(said) && statusOf(clone, env) !== null;
    }).catch((error) => {
      throw new Error(`${sentenceOf(error)}\n${said}`);
    });
    console.log(statusOf(clone, env));
    signal(started, 'SIGINT');
    await within(20_000, ended, `"npm start" does not stop on Ctrl-C.\n${said}`);
    if (statusOf(clone, env) !== null) throw new Error('The runner is still there after Ctrl-C.');
  } finally {
    // Runner and approver have process groups of their own: only "npm start" can end them.
    if (started.exitCode === null) signal(started, 'SIGTERM');
    await within(20_000, ended, '').catch(() => signal(started, 'SIGKILL'));
  }
}

/**
 * What `interlock status` says, or null when it fails.
 *
 * @param {string} clone
 * @param {Readonly<Record<string, string>>} env
 */
function statusOf(clone, env) {
  const program = join(clone, 'dist', 'runner', 'cli', 'main.js');
  if (!existsSync(program)) return null;
  try {
    return execFileSync(process.execPath, [program, 'status'], {
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 20_000,
    }).trim();
  } catch {
    return null;
  }
}

/**
 * To the whole process group, as a terminal does.
 *
 * @param {import('node:child_process').ChildProcess} child
 * @param {NodeJS.Signals} name
 */
function signal({ pid }, name) {
  try {
    if (pid !== undefined) process.kill(-pid, name);
  } catch {
    // It is gone already.
  }
}

/**
 * @param {number} ms
 * @param {() => boolean} isReady
 */
async function until(ms, isReady) {
  const end = Date.now() + ms;
  while (!isReady()) {
    if (Date.now() > end) throw new Error('The product did not come up in time.');
    await delay(200);
  }
}

/**
 * @param {number} ms
 * @param {Promise<unknown>} done
 * @param {string} sentence
 */
async function within(ms, done, sentence) {
  const late = new AbortController();
  const deadline = delay(ms, undefined, { signal: late.signal, ref: false }).then(
    () => Promise.reject(new Error(sentence)),
    () => undefined,
  );
  await Promise.race([done, deadline]).finally(() => late.abort());
}

/** @param {unknown} error */
function sentenceOf(error) {
  return error instanceof Error ? error.message : String(error);
}
