import { messageOf } from '../../shared/base/index.ts';
import { closeSync, openSync, readSync, readdirSync, statSync } from 'node:fs';
import { createFinder, stopProcesses } from '../../shared/home/index.ts';
import { commandsOf, paced } from '../../shared/operations/index.ts';
import type { CommandProcesses } from '../../shared/operations/index.ts';

/**
 * What these processes have started and what those have, at this moment. It asks the kernel for
 * children only, which costs by the commands and not by the size of the machine. Empty where the
 * system does not tell.
 */
function descendantsNow(leaders: readonly number[], proc = '/proc'): ReadonlySet<number> {
  const found = new Set<number>();
  const waiting = [...leaders];
  for (let pid = waiting.pop(); pid !== undefined; pid = waiting.pop())
    for (const child of childrenOf(pid, proc)) {
      if (found.has(child)) continue;
      found.add(child);
      waiting.push(child);
    }
  return found;
}

/** Each thread has children of its own; few programs have more than one. */
function childrenOf(pid: number, proc: string): readonly number[] {
  const tasks = `${proc}/${pid}/task`;
  try {
    const threads = hasOneThread(tasks) ? [String(pid)] : readdirSync(tasks);
    return threads.flatMap((thread) => numbersIn(`${tasks}/${thread}/children`));
  } catch {
    return [];
  }
}

/** A folder has a link from each folder in it, besides its own two. */
function hasOneThread(tasks: string): boolean {
  return statSync(tasks).nlink === 3;
}

const buffer = Buffer.alloc(64 * 1024);

/** The whole of a small file of the kernel, with as few calls as it takes: a lockout waits for it. */
function numbersIn(path: string): readonly number[] {
  const file = openSync(path, 'r');
  try {
    let text = '';
    for (let size = readSync(file, buffer); size > 0; size = readSync(file, buffer))
      text += buffer.toString('latin1', 0, size);
    return text.split(' ').filter(Boolean).map(Number);
  } finally {
    closeSync(file);
  }
}

/** What a sweep has found beyond the commands that were known to run. */
export interface Swept {
  /** Commands that had ended, but whose processes had not. */
  readonly strays: number;
  /** Processes that are there all the same. */
  readonly left: number;
  /** Why it could not look; null when it could. */
  readonly problem: string | null;
}

interface SweepOptions {
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
      const why = messageOf(error);
      return { strays: 0, left: 0, problem: `Escaped processes could not be looked for: ${why}` };
    }
  };
}
