import { readFileSync, readdirSync } from 'node:fs';
import type { Clock } from '../../shared/base/index.ts';
import { libc } from '../../shared/home/index.ts';

/** How often it is looked. */
export const reapMs = 30_000;

interface ReaperOptions {
  readonly clock: Clock;
  /** Ended children of this process for which nobody has waited. */
  readonly ended?: () => readonly number[];
  readonly waitFor?: (pid: number) => void;
}

/**
 * As the first process of a container, the runner inherits what lost its parent, and Node waits for
 * nothing but what it has started: the list of processes would fill with what has ended. What Node has
 * started is waited for at once, so whatever has ended for one round and is still there is nobody's.
 *
 * @returns ends it
 */
export function reapOrphans({
  clock,
  ended = endedChildren,
  waitFor = (pid) => void libc().waitpid(pid, null, noHang),
}: ReaperOptions): () => void {
  let seen: ReadonlySet<number> = new Set();
  let cancel = (): void => {};
  const look = (): void => {
    const now = ended();
    for (const pid of now) if (seen.has(pid)) waitFor(pid);
    seen = new Set(now);
    cancel = clock.after(reapMs, look);
  };
  cancel = clock.after(reapMs, look);
  return () => cancel();
}

const noHang = 1;

function endedChildren(): readonly number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      // The name of the program stands in brackets, and may hold some itself.
      const text = readFileSync(`/proc/${name}/stat`, 'latin1');
      const [state, parent] = text.slice(text.lastIndexOf(')') + 2).split(' ');
      return state === 'Z' && Number(parent) === process.pid ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}
