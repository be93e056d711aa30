// @ts-check
import { spawn } from 'node:child_process';
import { root } from './root.mjs';

/**
 * Runs a program in the checkout, on our own output and without input.
 *
 * @param {string} file
 * @param {readonly string[]} args
 * @param {Readonly<Record<string, string>>} [env] added to our own
 * @returns {Promise<number>} its exit status; 127 when it cannot be started
 */
export async function run(file, args, env = {}) {
  const child = spawn(file, args, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...env },
    shell: process.platform === 'win32',
  });
  return new Promise((resolve) => {
    child.once('error', () => resolve(127));
    child.once('close', (code) => resolve(code ?? 1));
  });
}

/**
 * Runs a program in the checkout beside others, and keeps what it says until it has ended.
 *
 * @param {string} file
 * @param {readonly string[]} args
 * @param {Readonly<Record<string, string>>} [env] added to our own
 * @returns {Promise<{ readonly exitCode: number, readonly output: string }>}
 */
export async function runBeside(file, args, env = {}) {
  const child = spawn(file, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (/** @type {string} */ text) => (output += text));
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ exitCode: 127, output: error.message }));
    child.once('close', (code) => resolve({ exitCode: code ?? 1, output }));
  });
}

/**
 * Runs a tool of node_modules by its script, which needs no shell on any platform.
 *
 * @param {string} script path below node_modules
 * @param {readonly string[]} args
 * @param {Readonly<Record<string, string>>} [env]
 */
export async function runTool(script, args, env) {
  return run(process.execPath, [`node_modules/${script}`, ...args], env);
}

/**
 * The same, beside others.
 *
 * @param {string} script path below node_modules
 * @param {readonly string[]} args
 * @param {Readonly<Record<string, string>>} [env]
 */
export async function runToolBeside(script, args, env) {
  return runBeside(process.execPath, [`node_modules/${script}`, ...args], env);
}

/**
 * Ends the process with a sentence when a step failed.
 *
 * @param {number} exitCode
 * @param {string} sentence
 */
export function requireSuccess(exitCode, sentence) {
  if (exitCode === 0) return;
  console.error(sentence);
  process.exit(exitCode);
}
