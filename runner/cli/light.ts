import { runCommandLine, versionOf } from './command-line.ts';
import { exitCodes, say } from './io.ts';
import type { Io } from './io.ts';

const asked: ReadonlySet<string> = new Set(['-V', '--version', '-h', '--help']);

/** Whether the command line is one that `runLight` can answer: `run`, the version, the help. */
export function isLight(args: readonly string[]): boolean {
  const [first = '--help'] = args;
  return first === 'run' || (asked.has(first) && args.length <= 1);
}

/**
 * What agents start for every command, in the same words as the whole program and without the rest
 * of it: these few files are one bundle, so that it starts as fast as Node does (decision 17).
 */
export async function runLight(args: readonly string[], io: Io): Promise<number> {
  if (args[0] === '-V' || args[0] === '--version') {
    say(io.stdout, versionOf(io.packageRoot));
    return exitCodes.ok;
  }
  return runCommandLine(args, io, async () => import('./commands/run.ts'));
}
