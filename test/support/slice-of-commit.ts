import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/**
 * Which of so many slices of a long test this run takes: the next one with each commit, so that all
 * are seen in so many commits, and one commit always sees the same. A variable names another, as a
 * shallow clone has to, which cannot count. Without a history it is the first.
 */
export function whichSlice(slices: number, variable: 'FUZZ_SLICE' | 'TRACE_SLICE'): number {
  const named = process.env[variable];
  if (named !== undefined) return Number(named) % slices;
  try {
    const count = execFileSync('git', ['rev-list', '--count', 'HEAD'], {
      cwd: fileURLToPath(new URL('.', import.meta.url)),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return Number(count) % slices;
  } catch {
    return 0;
  }
}
