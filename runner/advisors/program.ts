import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { homedir } from 'node:os';
import { homeTag, homeVariable, runVariable } from '../../shared/home/index.ts';
import { processesOfCommand } from '../../shared/operations/index.ts';
import { prepareSweep } from '../lockout/sweep.ts';

/** Longest answer that is read, in bytes. */
export const mostAnswer = 16 * 1024;

/** One question on its way to an advisor. */
export interface Asking {
  /** JSON, as text. */
  readonly question: string;
  /** Aborted, with the reason, when no answer counts any more. */
  readonly signal: AbortSignal;
}

/** Where programs are looked up by an advisor; nothing of the runner's own environment is passed on. */
const servicePath = '/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin';

/**
 * Starts the program in a group and session of its own, with a clean environment, in `/`, gives it the
 * question on its standard input, and returns what it wrote. It and all that it started are killed
 * when it has ended and when the signal comes. Rejects with a sentence where it did not end with 0,
 * wrote too much, or was stopped.
 *
 * @param id marks what it starts, so that a lockout without the runner finds it
 */
export async function askProgram(
  argv: readonly string[],
  { question, signal, id, home }: Asking & { readonly id: string; readonly home: string },
): Promise<string> {
  signal.throwIfAborted();
  const [file = '', ...args] = argv;
  const child = spawn(file, args, {
    cwd: '/',
    env: {
      PATH: servicePath,
      HOME: homedir(),
      LANG: 'C.UTF-8',
      [runVariable]: id,
      [homeVariable]: homeTag(home),
    },
    shell: false,
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  try {
    return await answerOf(child, question, signal);
  } finally {
    const pid = child.pid ?? null;
    killGroup(child);
    // What has left its group is known by its mark.
    if (pid !== null)
      await prepareSweep({
        processes: processesOfCommand(id),
        running: [{ id, pid }],
        graceMs: 0,
      })();
  }
}

async function answerOf(
  child: ChildProcess,
  question: string,
  signal: AbortSignal,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const stop = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
    child.once('error', () => reject(new Error('it could not be started')));
    // It may answer without having read everything.
    child.stdin?.on('error', () => {});
    child.stdin?.end(question);
    child.stdout?.on('error', () => {});
    child.stdout?.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > mostAnswer) reject(new Error('it wrote too much'));
      else chunks.push(chunk);
    });
    // What it left behind would hold its output open.
    child.once('exit', () => killGroup(child));
    child.once('close', (code, ended) => {
      signal.removeEventListener('abort', stop);
      if (code === 0) resolve(Buffer.concat(chunks).toString('utf8'));
      else
        reject(
          new Error(
            ended === null ? `it ended with status ${String(code)}` : `it ended by ${ended}`,
          ),
        );
    });
  });
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing of it is left.
  }
}
