#!/usr/bin/env node
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exitCodeOfSignal, stopSignals } from './io.ts';
import type { Io } from './io.ts';
import { isLight, runLight } from './light.ts';

const io: Io = {
  env: process.env,
  // Opened when they are used, which takes a while: `run` seldom reads, and seldom has an error to tell.
  get stdin() {
    return process.stdin;
  },
  get stdout() {
    return untilClosed(process.stdout);
  },
  get stderr() {
    return untilClosed(process.stderr);
  },
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

void start(process.argv.slice(2));

async function start(args: readonly string[]): Promise<void> {
  process.exitCode = await (isLight(args) ? runLight(args, io) : runWhole(args));
}

async function runWhole(args: readonly string[]): Promise<number> {
  // The runner's own log goes there too.
  untilClosed(process.stdout);
  untilClosed(process.stderr);
  return (await import('./program.ts')).runCli(args, io);
}

/**
 * Ends the process when nobody reads any more (`interlock run … | head -1`). Going takes the
 * connection along, and with it the ask or the command.
 */
function untilClosed<T extends NodeJS.WriteStream>(stream: T): T {
  if (stream.listenerCount('error', gone) === 0) stream.on('error', gone);
  return stream;
}

function gone(): void {
  process.exit(exitCodeOfSignal('SIGPIPE'));
}
