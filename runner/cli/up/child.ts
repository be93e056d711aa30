import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Program } from './programs.ts';

/** How a child ended. */
export interface ChildEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** A program that was started. */
export interface Child {
  readonly pid: number | null;
  /** Resolves when it has ended; never rejects. */
  readonly ended: Promise<ChildEnd>;
  /** Asks it to stop, insists after eight seconds, and resolves when it has ended. */
  stop(): Promise<ChildEnd>;
}

export interface StartOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly onLine: (line: string) => void;
  readonly onErrorLine: (line: string) => void;
}

export type StartChild = (program: Program, options: StartOptions) => Child;

const patienceMs = 8000;

/**
 * Starts a program in a process group of its own, so that a Ctrl-C in the terminal reaches it only
 * through us and it is stopped once, in order.
 */
export const startChild: StartChild = (program, { env, onLine, onErrorLine }) => {
  const child = spawn(program.file, program.args, {
    detached: true,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  createInterface({ input: child.stdout }).on('line', onLine);
  createInterface({ input: child.stderr }).on('line', onErrorLine);
  const ended = new Promise<ChildEnd>((resolve) => {
    child.once('error', (error) => {
      onErrorLine(error.message);
      resolve({ exitCode: 127, signal: null });
    });
    child.once('close', (exitCode, signal) => resolve({ exitCode, signal }));
  });
  const stop = async (): Promise<ChildEnd> => {
    child.kill('SIGTERM');
    const insist = setTimeout(() => child.kill('SIGKILL'), patienceMs);
    const end = await ended;
    clearTimeout(insist);
    return end;
  };
  return { pid: child.pid ?? null, ended, stop };
};

/** How a child ended, in words. */
export function sayEnd({ exitCode, signal }: ChildEnd): string {
  return signal === null ? `status ${String(exitCode)}` : `signal ${signal}`;
}
