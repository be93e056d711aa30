import './small-footprint.ts';
import { refusalOf } from '../shared/base/index.ts';
import { meaningOf } from './service/reload.ts';

/** Exit status of a runner that could not start, as of every failure of Interlock itself. */
const failed = 125;

/** Runs the service until it is told to stop. */
async function main(): Promise<void> {
  // Before the start: a manager that hears that the runner is ready may send a signal at once.
  const signals = listenToSignals();
  // Here, so that the engine is set before anything large is loaded.
  const { startRunner } = await import('./service/start-runner.ts');
  const runner = await startRunner({ env: process.env });
  signals.onReload(() => void runner.reload().catch(fail));
  await signals.stopped;
  await runner.dispose();
  process.exit(0);
}

/** A second signal to stop does not wait for the first. What comes before there is a runner is kept. */
function listenToSignals() {
  const streams = [process.stdin, process.stdout, process.stderr];
  let isWanted = false;
  let reload = (): void => void (isWanted = true);
  let stopping = false;
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
      process.on(signal, () => {
        if (meaningOf(signal, streams) === 'stop') {
          if (stopping) process.exit(failed);
          stopping = true;
          resolve();
        } else if (!stopping) reload();
      });
  });
  return {
    stopped,
    onReload: (run: () => void): void => {
      reload = run;
      if (isWanted) run();
    },
  };
}

function fail(error: unknown): void {
  const refusal = refusalOf(error);
  process.stderr.write(
    refusal === undefined
      ? `interlock: the runner failed: ${error instanceof Error ? error.stack : String(error)}\n`
      : `interlock: ${refusal.message}\n${refusal.hint}\n`,
  );
  process.exit(failed);
}

main().catch(fail);
