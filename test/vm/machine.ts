import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type { Image } from './image.ts';

/** How a program in the machine ended. */
export interface Ended {
  /** The exit code, or in words which signal. */
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly stdin?: string;
  readonly timeoutMs?: number;
  /** Gets output while the program runs; the result has none then. */
  readonly onOutput?: (text: string) => void;
}

/** A virtual machine that is up. */
export interface Machine {
  /** Starts a program as root; rejects when the machine or the time is over first. */
  readonly run: (argv: readonly string[], options?: RunOptions) => Promise<Ended>;
  /** Shuts down in order, and waits for it. */
  readonly shutDown: () => Promise<void>;
  /** Takes the power away at once: what was not flushed is lost. */
  readonly cutPower: () => Promise<void>;
}

export interface BootOptions {
  readonly folder: string;
  readonly image: Image;
  /** Disks of the machine; the second and third hold packages and are only read. */
  readonly disks: { readonly root: string; readonly packages: readonly string[] };
}

/** A fresh disk upon the image, which stays as it is. */
export function freshDisk(folder: string, { disk }: Image): string {
  const path = join(folder, 'run.qcow2');
  rmSync(path, { force: true });
  execFileSync('qemu-img', ['create', '-q', '-f', 'qcow2', '-F', 'raw', '-b', disk, path]);
  return path;
}

/**
 * Whether the processor can help; TCG is some twenty times slower, and as true. A /dev/kvm without
 * either extension runs only kernels that were made for it.
 */
export function hasKvm(): boolean {
  try {
    closeSync(openSync('/dev/kvm', 'r+'));
    return /^flags\s*:.* (?:vmx|svm)\b/mu.test(readFileSync('/proc/cpuinfo', 'utf8'));
  } catch {
    return false;
  }
}

/** Boots and waits until the agent inside speaks. */
export async function boot(options: BootOptions): Promise<Machine> {
  const { folder } = options;
  const socketPath = join(folder, 'agent.sock');
  rmSync(socketPath, { force: true });
  const qemu = spawn('nice', ['-n', '5', 'qemu-system-x86_64', ...words(options, socketPath)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const over = new Promise<void>((resolve) => qemu.once('exit', () => resolve()));
  const end = (): void => void qemu.kill('SIGKILL');
  process.once('exit', end);
  void over.then(() => process.off('exit', end));
  try {
    const socket = await connected(socketPath, qemu);
    const hand = await handOf(socket, over, hasKvm() ? 60_000 : 600_000);
    return {
      run: hand,
      shutDown: async () => {
        await hand(['systemctl', '--no-block', 'poweroff']);
        await Promise.race([over, delay(120_000, undefined, { ref: false })]);
        end();
        await over;
      },
      cutPower: async () => {
        end();
        await over;
      },
    };
  } catch (error) {
    end();
    const console = readFileSync(join(folder, 'console.log'), 'utf8').slice(-2_000);
    throw new Error(`The machine did not come up:\n${console}`, { cause: error });
  }
}

const hardware =
  '-machine q35 -smp 1 -m 768 -nodefaults -no-user-config -display none -no-reboot -nic none -device virtio-rng-pci -device virtio-serial-pci';

function words({ folder, image, disks }: BootOptions, socketPath: string): readonly string[] {
  const drive = (file: string, rest: string): readonly string[] => [
    '-drive',
    `file=${file.replaceAll(',', ',,')},if=virtio,${rest}`,
  ];
  return [
    ...hardware.split(' '),
    ...(hasKvm() ? '-accel kvm -cpu host' : '-accel tcg -cpu max').split(' '),
    '-kernel',
    image.kernel,
    '-initrd',
    image.initrd,
    '-append',
    'root=/dev/vda rw console=ttyS0 quiet panic=-1',
    ...drive(disks.root, 'format=qcow2,cache=writeback'),
    ...disks.packages.flatMap((file) => drive(file, 'format=raw,readonly=on')),
    '-serial',
    `file:${join(folder, 'console.log')}`,
    '-chardev',
    `socket,id=hand,path=${socketPath},server=on,wait=off`,
    '-device',
    'virtserialport,chardev=hand,name=interlock.test',
  ];
}

async function connected(path: string, qemu: ChildProcess): Promise<Socket> {
  for (let tries = 0; tries < 100; tries += 1) {
    if (qemu.exitCode !== null) throw new Error(`qemu ended with ${String(qemu.exitCode)}`);
    const socket = createConnection(path);
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true));
      socket.once('error', () => resolve(false));
    });
    if (isOpen) return socket;
    await delay(100);
  }
  throw new Error('qemu opened no socket');
}

type Message = { readonly id?: number; readonly boot?: string } & Partial<Ended>;

/** Waits for the agent's first word. Answers how to start programs through it. */
async function handOf(
  socket: Socket,
  over: Promise<void>,
  patienceMs: number,
): Promise<Machine['run']> {
  const waiting = new Map<number, (message: Message) => void>();
  let next = 1;
  let hello: () => void = () => undefined;
  const up = new Promise<void>((resolve) => {
    hello = resolve;
  });
  socket.on('error', () => undefined);
  createInterface({ input: socket }).on('line', (line) => {
    const message = JSON.parse(line) as Message;
    if (message.boot !== undefined) hello();
    else waiting.get(message.id ?? 0)?.(message);
  });
  await within(up, over, patienceMs, 'the start');
  return async (argv, { stdin, timeoutMs = 60_000, onOutput } = {}) => {
    const id = next;
    next += 1;
    const ended = new Promise<Ended>((resolve) => {
      waiting.set(id, ({ code, stdout = '', stderr = '' }) => {
        if (code === undefined) onOutput?.(`${stdout}${stderr}`);
        else resolve({ code, stdout, stderr });
      });
    });
    const request = { id, argv, stdin, follow: onOutput !== undefined };
    socket.write(`${JSON.stringify(request)}\n`);
    return within(ended, over, hasKvm() ? timeoutMs : timeoutMs * 10, argv.join(' '));
  };
}

async function within<T>(
  result: Promise<T>,
  over: Promise<void>,
  timeoutMs: number,
  what: string,
): Promise<T> {
  const late = new AbortController();
  const fail = async (after: Promise<unknown>, why: string): Promise<never> => {
    await after;
    throw new Error(`${what}: ${why}`);
  };
  const failures = [
    fail(over, 'the machine is off'),
    fail(delay(timeoutMs, undefined, { signal: late.signal }), `nothing after ${timeoutMs} ms`),
  ];
  for (const failure of failures) failure.catch(() => undefined);
  try {
    return await Promise.race([result, ...failures]);
  } finally {
    late.abort();
  }
}
