#!/usr/bin/env node
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exitCodeOfSignal, stopSignals } from './io.ts';
import type { Io } from './io.ts';
import { isLight, runLight } from './light.ts';

const io: Io = {
  env: process.env,
  // Opened when it is read: `run` seldom does, and opening takes a while.
  get stdin() {
    return process.stdin;
  },
  stdout: process.stdout,
  stderr: process.stderr,
  now: Date.now,
  cwd: () => process.cwd(),
  // From dist/runner/cli.
  packageRoot: resolve(dirname(fileURLToPath(import.meta.url)), '../../..'),
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

void start(process.argv.slice(2));

async function start(args: readonly string[]): Promise<void> {
  const run = isLight(args) ? runLight : (await import('./program.ts')).runCli;
  process.exitCode = await run(args, io);
}
