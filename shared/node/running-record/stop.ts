import type { ProcessEntry } from './types.ts';

export interface StopProcessesOptions {
  /** Looks anew at each call; every signal goes to what was found a moment before. */
  readonly find: () => readonly ProcessEntry[];
  /** Between SIGTERM and SIGKILL, in milliseconds. */
  readonly graceMs: number;
  /** Throws when the process is gone or not ours to signal. `process.kill` fits. */
  readonly kill?: (pid: number, signal: NodeJS.Signals) => unknown;
  /** For tests; a timer that keeps the process alive when absent. */
  readonly sleep?: (ms: number) => Promise<void>;
}

export interface StoppedProcesses {
  /** Processes that were sent SIGTERM. */
  readonly signalled: number;
  /** Process ids that are there all the same, such as those of another user. */
  readonly left: readonly number[];
}

const stepMs = 25;
/** Something may start others while it is being killed. */
const killRounds = 20;

/** SIGTERM to everything now, SIGKILL after the grace to what is still there. */
export async function stopProcesses(options: StopProcessesOptions): Promise<StoppedProcesses> {
  const { find, graceMs, sleep = wait } = options;
  const first = find();
  signal(first, 'SIGTERM', options);
  let left = first;
  for (let waited = 0; left.length > 0 && waited < graceMs; waited += stepMs) {
    await sleep(stepMs);
    left = find();
  }
  for (let round = 0; left.length > 0 && round < killRounds; round += 1) {
    signal(left, 'SIGKILL', options);
    await sleep(stepMs);
    left = find();
  }
  return { signalled: first.length, left: left.map(({ pid }) => pid) };
}

function signal(
  entries: readonly ProcessEntry[],
  name: NodeJS.Signals,
  { kill = (pid, text) => process.kill(pid, text) }: StopProcessesOptions,
): void {
  for (const { pid } of entries)
    try {
      kill(pid, name);
    } catch {
      // Gone already, or somebody else's: what is left is counted at the end.
    }
}

async function wait(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}
