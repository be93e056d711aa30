import type { RunnerClient } from '../../shared/ipc/index.ts';
import type { CallHandlers } from './dispatch.ts';

export type BoxesOfRunner = Pick<
  RunnerClient,
  | 'boxes'
  | 'boxTail'
  | 'attachBox'
  | 'readTerminal'
  | 'typeTerminal'
  | 'resizeTerminal'
  | 'leaveTerminal'
  | 'stopBox'
  | 'lockBox'
>;

/** The handlers of the calls about named boxes: the runner looks at them, shows their windows and ends them. */
export function boxHandlers(runner: BoxesOfRunner): Pick<CallHandlers, keyof BoxesOfRunner> {
  return {
    boxes: async () => ({ boxes: await runner.boxes() }),
    boxTail: async ({ name, window }) => ({ lines: await runner.boxTail(name, window) }),
    attachBox: async (args) => ({ terminal: await runner.attachBox(args) }),
    readTerminal: async ({ terminal }) => runner.readTerminal(terminal),
    typeTerminal: async (args) => {
      await runner.typeTerminal(args);
      return {};
    },
    resizeTerminal: async (args) => {
      await runner.resizeTerminal(args);
      return {};
    },
    leaveTerminal: async ({ terminal }) => {
      await runner.leaveTerminal(terminal);
      return {};
    },
    stopBox: async ({ name }) => ({ notes: await runner.stopBox(name) }),
    lockBox: async ({ name, reason }) => ({ notes: await runner.lockBox(name, reason) }),
  };
}
