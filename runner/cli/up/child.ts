import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { exitCodeOfSignal, exitCodes } from '../io.ts';
import type { Io } from '../io.ts';
import { requireBuilt } from './programs.ts';
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

interface StartOptions {
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

/** Waits before each new start, in milliseconds; the last one repeats. */
const backoffMs = [500, 1000, 2000, 5000, 10_000, 30_000] as const;

/** A child that stayed up this long has earned a fresh start of the backoff. */
const healthyMs = 60_000;

interface KeepRunningOptions {
  readonly start: () => Child;
  /** Called when it ended by itself: says whether to start it again. */
  readonly onEnd: (end: ChildEnd, nextStartMs: number) => Promise<boolean>;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly now: () => number;
}

/** A program that is started again whenever it ends, until it is stopped. */
export interface KeptRunning {
  readonly pid: () => number | null;
  /** Resolves when it will not be started again. */
  readonly over: Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Starts a program and keeps it running, with growing pauses while it keeps falling over. */
export function keepRunning(options: KeepRunningOptions): KeptRunning {
  const stopping = new AbortController();
  let child = options.start();
  const run = async (): Promise<void> => {
    let failures = 0;
    while (!stopping.signal.aborted) {
      const startedAt = options.now();
      const end = await child.ended;
      if (stopping.signal.aborted) return;
      if (options.now() - startedAt >= healthyMs) failures = 0;
      const pause = backoffMs[Math.min(failures, backoffMs.length - 1)] ?? 30_000;
      failures += 1;
      if (!(await options.onEnd(end, pause))) return;
      try {
        await options.sleep(pause, stopping.signal);
      } catch {
        return;
      }
      child = options.start();
    }
  };
  return {
    pid: () => child.pid,
    over: run(),
    stop: async () => {
      stopping.abort();
      await child.stop();
    },
  };
}

interface RunChildOptions {
  /** The program reads keys: it must stay in the foreground of the terminal and gets Ctrl-C itself. */
  readonly readsTerminal?: boolean;
}

/** Runs a program on our own streams and resolves with its exit status. */
export async function runChild(
  program: Program,
  io: Io,
  { readsTerminal = false }: RunChildOptions = {},
): Promise<number> {
  requireBuilt(program);
  const child = spawn(program.file, program.args, {
    stdio: readsTerminal ? 'inherit' : ['ignore', 'inherit', 'inherit'],
    detached: !readsTerminal,
    env: io.env,
  });
  // In a group of its own the child hears of a Ctrl-C only from us, so it is stopped exactly once.
  const unlisten = io.onSignal((signal) => {
    if (!(readsTerminal && signal === 'SIGINT')) child.kill('SIGTERM');
  });
  try {
    return await new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (exitCode, signal) =>
        resolve(exitCode ?? (signal === null ? exitCodes.failed : exitCodeOfSignal(signal))),
      );
    });
  } finally {
    unlisten();
  }
}
