// @ts-check
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { Script } from 'node:vm';

/**
 * Plays the bundle of the command line as agents use it, and writes down the code that V8 has made of
 * it by then. The text around it is the one of `runner/cli/start.ts`: V8 compares lengths.
 */

const [filename = '', target = ''] = process.argv.slice(2);
const text = readFileSync(filename, 'latin1');
const script = new Script(
  `(function (exports, require, module, __filename, __dirname) { ${text}\n})`,
  { filename: 'dist/runner/cli/light.js' },
);
const body = script.runInThisContext();
for (const args of [['--help'], ['run', '--help'], ['run', '--', 'true']]) {
  process.argv = [process.execPath, filename, ...args];
  const module = { exports: {} };
  body(module.exports, createRequire(filename), module, filename, dirname(filename));
}
process.once('exit', () => writeFileSync(target, script.createCachedData()));
