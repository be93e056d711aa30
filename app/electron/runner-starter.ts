import type { UtilityProcess } from 'electron';
import type { Clock } from '../../shared/base/index.ts';
import type { ShellPort } from './types.ts';

/** Runs the runner that is shipped beside the app, for people who have no service for it. */
interface RunnerStarter {
  /** Starts it, unless it was started from here and still runs. */
  readonly start: () => void;
  /** Asks it to stop and waits for it, so that commands end in order. */
  readonly dispose: () => Promise<void>;
}

interface RunnerStarterOptions {
  readonly port: Pick<ShellPort, 'utilityProcess'>;
  /** The runner's `main.js`. */
  readonly entry: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}

/** Longer than the runner gives its commands to stop; in milliseconds. */
const stopWaitMs = 10_000;

/**
 * Starts the runner as a utility process of Electron. It needs no Node on the machine, and lives no
 * longer than the app; a second runner finds the socket taken and ends by itself.
 */
export function createRunnerStarter(options: RunnerStarterOptions): RunnerStarter {
  let child: UtilityProcess | null = null;
  return {
    start: () => {
      if (child !== null) return;
      const started = options.port.utilityProcess.fork(options.entry, [], {
        env: definedOf(options.env),
        stdio: 'ignore',
        serviceName: 'Interlock runner',
      });
      child = started;
      started.once('exit', () => {
        if (child === started) child = null;
      });
    },
    dispose: async () => {
      const running = child;
      if (running === null) return;
      await new Promise<void>((resolve) => {
        const cancel = options.clock.after(stopWaitMs, resolve);
        running.once('exit', () => {
          cancel();
          resolve();
        });
        running.kill();
      });
    },
  };
}

function definedOf(env: RunnerStarterOptions['env']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
