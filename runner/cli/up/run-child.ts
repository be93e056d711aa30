import { spawn } from 'node:child_process';
import { exitCodeOfSignal, exitCodes } from '../exit.ts';
import type { Io } from '../io.ts';
import { requireBuilt } from './built.ts';
import type { Program } from './programs.ts';

export interface RunChildOptions {
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
