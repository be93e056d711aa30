import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import type { Io, StopSignal } from '../../../runner/cli/io.ts';
import { runCli } from '../../../runner/cli/program.ts';

export const packageRoot = resolve(import.meta.dirname, '../../..');

/** A temporary INTERLOCK_HOME that does not exist yet, and how to clear everything away. */
export function temporaryHome(): {
  readonly home: string;
  readonly folder: string;
  readonly remove: () => void;
} {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'il-cli-')));
  return {
    folder,
    home: join(folder, 'home'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Keeps what is written to it. */
class Kept extends Writable {
  text = '';
  readonly isTTY: boolean;

  constructor(isTTY: boolean) {
    super();
    this.isTTY = isTTY;
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString('utf8');
    done();
  }
}

export interface TestIoOptions {
  readonly home: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly isTTY?: boolean;
  readonly now?: () => number;
}

/** An outside world of streams in memory, with signals that a test sends itself. */
export interface TestIo {
  readonly io: Io;
  readonly out: () => string;
  readonly err: () => string;
  readonly type: (text: string) => void;
  readonly signal: (signal: StopSignal) => void;
}

export function testIo(options: TestIoOptions): TestIo {
  const { isTTY = false } = options;
  const stdout = new Kept(isTTY);
  const stderr = new Kept(isTTY);
  const stdin = Object.assign(new PassThrough(), { isTTY });
  if (options.stdin !== undefined) stdin.end(options.stdin);
  const listeners = new Set<(signal: StopSignal) => void>();
  return {
    io: {
      env: { PATH: process.env['PATH'], ...options.env, INTERLOCK_HOME: options.home },
      stdin,
      stdout,
      stderr,
      now: options.now ?? Date.now,
      cwd: () => options.cwd ?? '/',
      packageRoot,
      onSignal: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    out: () => stdout.text,
    err: () => stderr.text,
    type: (text) => void stdin.write(text),
    signal: (signal) => {
      for (const listener of listeners) listener(signal);
    },
  };
}

/** Runs one command line to its end. */
export async function cli(
  options: TestIoOptions,
  ...args: readonly string[]
): Promise<{ readonly exitCode: number; readonly out: string; readonly err: string }> {
  const world = testIo(options);
  const exitCode = await runCli(args, world.io);
  return { exitCode, out: world.out(), err: world.err() };
}
