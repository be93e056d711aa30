import './small-footprint.ts';
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { refusalOf } from '../shared/refusal/refusal.ts';
import { meaningOf } from './service/signals.ts';
import { startRunner } from './service/start-runner.ts';

export { startRunner } from './service/start-runner.ts';
export type { Runner, RunnerOptions } from './service/start-runner.ts';

/** Exit status of a runner that could not start, as of every failure of Interlock itself. */
const failed = 125;

/** Runs the service until it is told to stop. */
async function main(): Promise<void> {
  const runner = await startRunner({ env: process.env });
  let stopping = false;
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
    process.on(signal, () => {
      if (meaningOf(signal, [process.stdin, process.stdout, process.stderr]) === 'reload') {
        if (!stopping) void runner.reload().catch(fail);
        return;
      }
      if (stopping) process.exit(failed);
      stopping = true;
      void runner.stop().then(
        () => process.exit(0),
        (error: unknown) => fail(error),
      );
    });
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

const program = process.argv[1];
if (program !== undefined && realpathSync(program) === fileURLToPath(import.meta.url))
  main().catch(fail);
