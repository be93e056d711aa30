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
  stop(): void;
}

/** Starts words as a program, without a shell. */
export function startAgent(
  [program = '', ...args]: readonly string[],
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> },
): AgentProcess {
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(program, args, {
    ...options,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  // An agent that has ended reads no more; its end is told by `ended`.
  child.stdin.on('error', () => undefined);
  const ended = new Promise<number>((resolve) => {
    child.once('error', () => resolve(127));
    child.once('close', (code, signal) =>
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
    );
  });
  return {
    input: child.stdout,
    output: child.stdin,
    ended,
    stop: () => void child.kill('SIGTERM'),
  };
}
