import { runCommandLine } from './command-line.ts';
import type { Io } from './io.ts';

/**
 * `run`, which agents start for every command, and the help: in the same words as the whole program and
 * without the rest of it. These few files are one bundle, so that it starts as fast as Node does
 * (decision 19).
 */
export async function runLight(args: readonly string[], io: Io): Promise<number> {
  return runCommandLine(args, io, async () => import('./commands/run.ts'));
}
