import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { HookCommand } from '../../../shared/agents/hook-command.ts';
import { homePaths } from '../../../shared/home/paths.ts';
import type { HomePaths } from '../../../shared/home/paths.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
export const hookProgram = join(root, 'dist/runner/hook/main.cjs');
const client = join(root, 'dist/native/interlock-client');

/** The two ways to start the hook: the same to whoever looks from outside. */
export const ways: readonly (readonly [name: string, words: readonly string[]])[] = [
  ['Node', [process.execPath]],
  // Built where there is a C compiler.
  ...(existsSync(client) ? [['the native client', [client, process.execPath]] as const] : []),
];

/** How the hook starts fastest, for tests that call it often and are about something else. */
export const quickest: Pick<HookCommand, 'client' | 'node'> = {
  ...(existsSync(client) && { client }),
  node: process.execPath,
};

/** The folders of a home, and nothing in them. */
export function emptyHome(): HomePaths {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'il-hook-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const paths = homePaths({ INTERLOCK_HOME: join(folder, 'home') });
  mkdirSync(paths.agentKeysDirectory, { recursive: true, mode: 0o700 });
  return paths;
}

export interface SeenCall {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface StandIn {
  /** The next call that came whole. */
  readonly next: () => Promise<SeenCall>;
  /** Settles when a caller has gone without an answer. */
  readonly dropped: Promise<void>;
}

/** Something in the runner's place that answers as it is told. */
export async function standIn(
  { runnerSocket }: HomePaths,
  answer: (response: ServerResponse, call: SeenCall) => void,
): Promise<StandIn> {
  const seen: SeenCall[] = [];
  const waiting: ((call: SeenCall) => void)[] = [];
  let drop: () => void = () => undefined;
  const dropped = new Promise<void>((resolve) => {
    drop = resolve;
  });
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    response.once('close', () => {
      if (!response.writableFinished) drop();
    });
    request.once('end', () => {
      const { method = '', url = '', headers } = request;
      const call = { method, url, headers, body };
      const next = waiting.shift();
      if (next === undefined) seen.push(call);
      else next(call);
      answer(response, call);
    });
  });
  await new Promise<void>((resolve) => server.listen(runnerSocket, resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const next = async (): Promise<SeenCall> => {
    const call = seen.shift();
    return call ?? new Promise((resolve) => void waiting.push(resolve));
  };
  return { next, dropped };
}

export interface HookEnd {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
  readonly signal: string | null;
}

export interface StartedHook {
  readonly child: ChildProcessWithoutNullStreams;
  readonly end: Promise<HookEnd>;
}

/** The words that a host would start the hook with. */
export const usual = ['claude', '--agent', 'claude', '--wait', '30'] as const;

export interface Start {
  readonly args?: readonly string[];
  /** One of `ways`; Node when absent. */
  readonly by?: readonly string[];
}

/** Starts the real hook program. Its input stays open until the test ends it. */
export function startHook(
  paths: HomePaths,
  { args = usual, by: [file = process.execPath, ...words] = [process.execPath] }: Start = {},
): StartedHook {
  const child = spawn(file, [...words, hookProgram, ...args], {
    env: { PATH: process.env['PATH'] ?? '', INTERLOCK_HOME: paths.home },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdin.on('error', () => undefined);
  return { child, end: endOf(child) };
}

/** Runs it on one input. */
export async function runHook(
  paths: HomePaths,
  input: string | Buffer,
  start?: Start,
): Promise<HookEnd> {
  const { child, end } = startHook(paths, start);
  child.stdin.end(input);
  return end;
}

export async function endOf(child: ChildProcessWithoutNullStreams): Promise<HookEnd> {
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return new Promise((resolve) =>
    child.once('close', (exitCode, signal) => resolve({ stdout, stderr, exitCode, signal })),
  );
}
