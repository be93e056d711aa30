import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';

/** An agent in a process of its own, with its errors on our standard error. */
export interface AgentProcess {
  readonly input: Readable;
  readonly output: Writable;
  /** Resolves with its exit status as a shell reports it; 127 when it could not be started. */
  readonly ended: Promise<number>;
  /** Ends its input and asks it, and what it started, to end. */
  stop(): void;
  /** Insists. */
  kill(): void;
}

/** Starts words as a program, without a shell, in a process group of its own. */
export function startAgent(
  [program = '', ...args]: readonly string[],
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> },
): AgentProcess {
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(program, args, {
    ...options,
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  // An agent that has ended reads no more; its end is told by `ended`.
  child.stdin.on('error', () => undefined);
  const ended = new Promise<number>((resolve) => {
    child.once('error', () => resolve(127));
    child.once('close', (code, signal) =>
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
    );
  });
  const signalGroup = (signal: NodeJS.Signals): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, signal);
    } catch {
      // It has ended, and all that it started.
    }
  };
  return {
    input: child.stdout,
    output: child.stdin,
    ended,
    stop: () => {
      child.stdin.end();
      signalGroup('SIGTERM');
    },
    kill: () => signalGroup('SIGKILL'),
  };
}
