import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { quoteWord } from '../../../shared/engine/parse/shell-quote.ts';

const program = fileURLToPath(new URL('../../fixtures/agents/tap.mjs', import.meta.url));

/**
 * What the installer would have the host start the hook with: the native client where it was built.
 * `INTERLOCK_CLIENT=node` plays everything without it.
 */
const built = fileURLToPath(new URL('../../../dist/native/interlock-client', import.meta.url));
export const nativeClient =
  process.env['INTERLOCK_CLIENT'] !== 'node' && existsSync(built) ? built : null;
const starter = [...(nativeClient === null ? [] : [nativeClient]), process.execPath];

export interface HookEnd {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** One start of the hook by its host, with the test in between. */
export interface TappedHook {
  /** Of the hook program itself. */
  readonly pid: number;
  /** What the host wrote to it. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Settles when the hook has answered; the host has not got it yet. */
  readonly answered: Promise<HookEnd>;
  /** Hands the answer on to the host. */
  readonly handOn: () => void;
}

export interface Tap {
  /** An executable that takes Node's place in the line that the host starts. */
  readonly node: string;
  /** The next use of a tool that the host tells its hook about. */
  readonly next: () => Promise<TappedHook>;
  /** From now on the host gets each answer as it comes. */
  readonly handAll: () => void;
  /** Everything that hosts told their hooks so far. */
  readonly told: readonly TappedHook['input'][];
}

/** Listens for hooks in a folder of the test's own. */
export async function openTap(folder: string): Promise<Tap> {
  const socketPath = join(folder, 'tap.sock');
  const node = join(folder, 'tapped-node');
  const words = [process.execPath, program, socketPath, ...starter].map(quoteWord);
  writeFileSync(node, `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`);
  chmodSync(node, 0o700);

  const waiting: ((hook: TappedHook) => void)[] = [];
  const arrived: TappedHook[] = [];
  const told: TappedHook['input'][] = [];
  const sockets = new Set<Socket>();
  let handsAll = false;
  const pass = ({ answered, handOn }: TappedHook): void => void answered.then(handOn);
  const server = createServer((socket) => {
    sockets.add(socket);
    void follow(socket, (hook) => {
      told.push(hook.input);
      if (handsAll) return pass(hook);
      const next = waiting.shift();
      if (next === undefined) arrived.push(hook);
      else next(hook);
    });
  });
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    node,
    told,
    handAll: () => {
      handsAll = true;
      for (const hook of arrived.splice(0)) pass(hook);
    },
    next: async () => arrived.shift() ?? new Promise((resolve) => void waiting.push(resolve)),
  };
}

async function follow(socket: Socket, tell: (hook: TappedHook) => void): Promise<void> {
  socket.on('error', () => undefined);
  const handOn = (): void => void socket.write('go on\n');
  let settle: (end: HookEnd) => void = () => undefined;
  const answered = new Promise<HookEnd>((resolve) => {
    settle = resolve;
  });
  for await (const line of createInterface({ input: socket })) {
    const message = JSON.parse(line) as { type: string; pid: number; input: string } & HookEnd;
    if (message.type === 'answered') {
      const { stdout, stderr, exitCode, signal } = message;
      settle({ stdout, stderr, exitCode, signal });
      continue;
    }
    const input = JSON.parse(message.input) as Readonly<Record<string, unknown>>;
    // The end of a session is no use of a tool, and not what the tests are about.
    if (isEnd(input)) void answered.then(handOn);
    else tell({ pid: message.pid, input, answered, handOn });
  }
}

function isEnd({ hook_event_name: name, event }: Readonly<Record<string, unknown>>): boolean {
  return name === 'SessionEnd' || event === 'session-ended';
}
