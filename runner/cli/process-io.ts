import { exitCodeOfSignal, stopSignals } from './io.ts';
import type { Io } from './io.ts';

/** The process that the command line runs in; `packageRoot` is the folder of its package. */
export function processIo(packageRoot: string): Io {
  return {
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
    packageRoot,
    onSignal: (listener) => {
      for (const signal of stopSignals) process.on(signal, listener);
      return () => {
        for (const signal of stopSignals) process.off(signal, listener);
      };
    },
  };
}

/**
 * Ends the process when nobody reads any more (`interlock run … | head -1`). Going takes the
 * connection along, and with it the ask or the command.
 */
export function untilClosed<T extends NodeJS.WriteStream>(stream: T): T {
  if (stream.listenerCount('error', gone) === 0) stream.on('error', gone);
  return stream;
}

function gone(): void {
  process.exit(exitCodeOfSignal('SIGPIPE'));
}
