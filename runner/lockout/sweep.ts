import { commandsOf } from '../../shared/node/lockout/leftovers.ts';
import type { CommandProcesses } from '../../shared/node/lockout/leftovers.ts';
import { paced } from '../../shared/node/lockout/pace.ts';
import { createFinder } from '../../shared/node/running-record/find.ts';
import { stopProcesses } from '../../shared/node/running-record/stop.ts';
import { descendantsNow } from './descendants.ts';

/** What a sweep has found beyond the commands that were known to run. */
export interface Swept {
  /** Commands that had ended, but whose processes had not. */
  readonly strays: number;
  /** Processes that are there all the same. */
  readonly left: number;
  /** Why it could not look; null when it could. */
  readonly problem: string | null;
}

export interface SweepOptions {
  readonly processes: CommandProcesses;
  /** The commands that run as far as the runner knows. */
  readonly running: readonly { readonly id: string; readonly pid: number }[];
  /** Between SIGTERM and SIGKILL, in milliseconds. */
  readonly graceMs: number;
}

/**
 * Gets ready to stop every process of a command wherever it has gone. What escaped may be known by
 * its parent only, so this is called while the parents live; the answer is called once the groups
 * have been signalled, and sends SIGTERM to all others before it returns, SIGKILL after the grace to
 * what is still there. It never rejects.
 */
export function prepareSweep({ processes, running, graceMs }: SweepOptions): () => Promise<Swept> {
  const started = descendantsNow(running.map(({ pid }) => pid));
  const commands = new Set<string>();
  let isFirstLook = true;
  const pick: CommandProcesses['pick'] = (machine) => {
    // A number is good for a moment; later on the finder knows the process by its start.
    const known = isFirstLook ? machine.processes.filter(({ pid }) => started.has(pid)) : [];
    isFirstLook = false;
    const found = processes.pick(machine);
    for (const command of commandsOf(found)) commands.add(command);
    return [...known, ...found];
  };
  return async () => {
    try {
      const find = createFinder({ look: processes.look, pick });
      const { left } = await stopProcesses({ find, ...paced(graceMs) });
      for (const { id, pid } of running) {
        commands.delete(id);
        commands.delete(`session ${pid}`);
      }
      return { strays: commands.size, left: left.length, problem: null };
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return { strays: 0, left: 0, problem: `Escaped processes could not be looked for: ${why}` };
    }
  };
}
