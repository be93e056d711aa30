import type { RunnerClient } from '../../shared/ipc/index.ts';
import type { CallHandlers } from './dispatch.ts';

export type BoxesOfRunner = Pick<RunnerClient, 'boxes' | 'boxTail' | 'stopBox' | 'lockBox'>;

/** The handlers of the calls about named boxes: the runner looks at them and ends them. */
export function boxHandlers(runner: BoxesOfRunner): Pick<CallHandlers, keyof BoxesOfRunner> {
  return {
    boxes: async () => ({ boxes: await runner.boxes() }),
    boxTail: async ({ name, window }) => ({ lines: await runner.boxTail(name, window) }),
    stopBox: async ({ name }) => ({ notes: await runner.stopBox(name) }),
    lockBox: async ({ name, reason }) => ({ notes: await runner.lockBox(name, reason) }),
  };
}
