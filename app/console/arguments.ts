import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

/** How the console was started. */
export interface ConsoleArguments {
  /** Open the person's browser. */
  readonly open: boolean;
  /** Absolute path of a Unix socket to listen on as well. */
  readonly socketPath: string | null;
}

/** Reads `[--open] [--socket PATH]`. Throws an `Error` with a sentence for anything else. */
export function parseArguments(argv: readonly string[]): ConsoleArguments {
  const { values } = parseArgs({
    args: [...argv],
    strict: true,
    options: { open: { type: 'boolean', default: false }, socket: { type: 'string' } },
  });
  return {
    open: values.open,
    socketPath: values.socket === undefined ? null : resolve(values.socket),
  };
}
