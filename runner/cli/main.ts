#!/usr/bin/env node
import { existsSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exitCodeOfSignal } from './io.ts';
import type { Io } from './io.ts';
import { stopSignals } from './io.ts';

// Node 22 and later keep compiled code between runs; it halves what our own files cost at start.
(nodeModule as { enableCompileCache?: () => unknown }).enableCompileCache?.();

const { runCli } = await import('./program.ts');

const io: Io = {
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  now: Date.now,
  cwd: () => process.cwd(),
  packageRoot: packageRootOf(dirname(fileURLToPath(import.meta.url))),
  onSignal: (listener) => {
    for (const signal of stopSignals) process.on(signal, listener);
    return () => {
      for (const signal of stopSignals) process.off(signal, listener);
    };
  },
};

// Nobody reads any more (`interlock run … | head -1`). Going takes the connection along, and with
// it the ask or the command.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', () => process.exit(exitCodeOfSignal('SIGPIPE')));

process.exitCode = await runCli(process.argv.slice(2), io);

function packageRootOf(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error('package.json is missing beside the program');
  return packageRootOf(parent);
}
