import type { StopProcessesOptions } from '../running-record/stop.ts';

/** What `stopProcesses` counts as one step, in milliseconds. */
const stepMs = 25;
const paces = [25, 25, 50, 100] as const;
const laterMs = 200;

/**
 * Looks again soon at first, because most commands end at once, and then seldom: every look goes
 * through all processes of the machine. The grace stays what it is, whatever a look costs.
 */
export function paced(graceMs: number): Pick<StopProcessesOptions, 'graceMs' | 'sleep'> {
  const quick = paces.reduce((sum, ms) => sum + ms, 0);
  const steps = paces.length + Math.ceil(Math.max(0, graceMs - quick) / laterMs);
  let step = 0;
  return {
    graceMs: graceMs === 0 ? 0 : steps * stepMs,
    sleep: async () => {
      const ms = paces[step] ?? laterMs;
      step += 1;
      return new Promise((resolve) => void setTimeout(resolve, ms));
    },
  };
}
