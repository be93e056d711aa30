#!/usr/bin/env node
import { readFileSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';
import { usesFolder } from '../rpc/detect.ts';
import type * as program from './program.ts';

/** Put in by the build: of the text that the code beside it was made from. */
declare const lightDigest: string;

/** What the module system hands to a module of CommonJS. */
type ModuleBody = (
  exports: object,
  require: NodeJS.Require,
  module: { exports: object },
  filename: string,
  folder: string,
) => void;

const folder = import.meta.dirname;
const require = createRequire(import.meta.url);
const packageRoot = join(folder, '../../..');
const args = process.argv.slice(2);
const [first = '--help'] = args;

if (args.length > 1 || !/^(?:-V|--version)$/.test(first) || !saysVersion()) {
  if (usesFolder(process.env)) require('../../rpc/interlock.cjs');
  else if (first === 'run' || (args.length <= 1 && /^(?:-h|--help)$/.test(first))) startLight();
  else void wholeCommandLine().runProcess(args, packageRoot);
}

/** Without the streams of the process, which take longer to load than this takes in all. */
function saysVersion(): boolean {
  try {
    const manifest = readFileSync(join(packageRoot, 'package.json'), 'utf8');
    const { version } = JSON.parse(manifest) as { version: string };
    const line = `${version}\n`;
    return writeSync(1, line) === line.length;
  } catch {
    return false;
  }
}

/** Another bundle than this one, and a large one. */
function wholeCommandLine(): typeof program {
  return require('../../chunks/cli.cjs') as typeof program;
}

/**
 * Starts the bundle as a module is started, with the code that V8 made of it when it was built. Another
 * Node than the one that built turns that code down, and compiles the text.
 */
function startLight(): void {
  const filename = join(folder, 'light.js');
  const text = readFileSync(filename, 'latin1');
  const script = new Script(
    `(function (exports, require, module, __filename, __dirname) { ${text}\n})`,
    // V8 keeps the name in the code: none of the machine that builds.
    { filename: 'dist/runner/cli/light.js', cachedData: codeOf() },
  );
  const body = script.runInThisContext() as ModuleBody;
  const module = { exports: {} };
  body(module.exports, createRequire(filename), module, filename, dirname(filename));
}

function codeOf(): Buffer | undefined {
  try {
    return readFileSync(join(folder, `light-${lightDigest}.code`));
  } catch {
    return undefined;
  }
}
