import { failClosed } from '../../shared/adapters/fail-closed.ts';
import type { HookAnswer } from '../../shared/adapters/types.ts';
import type { HookOptions, Surroundings } from './ask.ts';
import { doubt, textOf } from './doubt.ts';
import { onceHostIsGone } from './host-gone.ts';
import { runHook } from './run-hook.ts';

/** Exit status by which most hosts understand "no", also without an answer that they can read. */
const blocked = 2;

/**
 * Answers the host of this process once, whatever happens, and ends the process. Null stands for
 * arguments that are not those of a hook.
 */
export function answerHost(options: HookOptions | null, env: Surroundings['env']): void {
  if (options === null) {
    const { message } = doubt('the line that starts its hook is not one', 'Install it again.');
    finish({ stdout: '', stderr: `${message}\n`, exitCode: blocked });
    return;
  }
  let finished = false;
  const once = (answer: HookAnswer): void => {
    if (finished) return;
    finished = true;
    finish(answer);
  };
  const failed = (error: unknown): void => once(failClosed(options.host, textOf(error)));
  process.on('uncaughtException', failed);
  process.on('unhandledRejection', failed);
  const { stdin } = process;
  void runHook(
    options,
    { stdin, env },
    {
      onHostGone: onceHostIsGone,
      onStopped: (listener) => {
        for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, listener);
      },
      // The host counts from the start of the process, so the hook does too.
      after: (ms, listener) => void setTimeout(listener, Math.max(0, ms - performance.now())),
    },
  ).then(once, failed);
}

/** Writes the answer whole, and ends the process. What is under way is dropped. */
function finish({ stdout, stderr, exitCode }: HookAnswer): void {
  const end = (): never => process.exit(exitCode);
  const lost = (): never => process.exit(blocked);
  process.stdout.once('error', lost);
  process.stderr.once('error', lost);
  if (stdout === '') process.stderr.write(stderr, end);
  else {
    if (stderr !== '') process.stderr.write(stderr);
    process.stdout.write(stdout, end);
  }
}
