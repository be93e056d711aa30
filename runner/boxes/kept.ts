import { closeSync, lstatSync, readFileSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { constants } from 'node:os';
import {
  connectForPackets,
  listenForPackets,
  longestSocketPath,
  openPipe,
  parseStat,
  readBootId,
  receivePacket,
  sendPacket,
} from '../../shared/home/index.ts';
import type { BoxRuntimeName } from '../../shared/engine/index.ts';
import type { BoxKeeper } from '../../shared/home/index.ts';
import { findGroups } from '../hosts/sandbox/groups.ts';
import { handOver } from '../hosts/sandbox/keeper.ts';
import { encodeFrame, encodePlan } from '../hosts/sandbox/message.ts';
import { containerBuilder } from './container/builder.ts';
import { clearGroups, endMs, noResource, until } from './build.ts';
import { kernelBuilder } from './kernel.ts';
import type { BoxRecords } from './record.ts';
import type {
  BoxBuilder,
  BoxCommand,
  BoxExec,
  BoxRuntime,
  BoxSpec,
  CreatedBox,
  RuntimeOptions,
} from './runtime.ts';

/** Boxes by their keepers, each of which listens at a socket in the folder of records. */
export function boxRuntime(
  { socketOf, rootOf }: Pick<BoxRecords, 'socketOf' | 'rootOf'>,
  options: RuntimeOptions,
): BoxRuntime {
  const builders: Readonly<Record<BoxRuntimeName, BoxBuilder>> = {
    kernel: kernelBuilder(options),
    'systemd-nspawn': containerBuilder('systemd-nspawn', { ...options, rootOf }),
    podman: containerBuilder('podman', { ...options, rootOf }),
  };
  const clear: Clear = async (name, groups = []) => {
    rmSync(socketOf(name), { force: true });
    // A record that says who has built it may be lost.
    for (const builder of Object.values(builders)) await builder.clear(name);
    await clearGroups(findGroups(options.uid), socketOf(name), groups);
  };
  return {
    problem: async (runtime) => builders[runtime].problem(),
    lacks: (runtime) => builders[runtime].lacks(),
    create: async (spec) => create(spec, socketOf(spec.name), builders[spec.runtime], clear),
    runs: (name, keeper) => boxRuns(keeper) || answers(socketOf(name)),
    exec: (name, command) => exec(socketOf(name), command),
    listener: (name) => takeListener(socketOf(name)),
    destroy: async (name, keeper, graceMs) => {
      const socket = socketOf(name);
      const isGone = (): boolean => !boxRuns(keeper) && !answers(socket);
      if (graceMs > 0 && tell(socket, 'SIGTERM')) await until(isGone, graceMs);
      tell(socket, 'SIGKILL');
      if (!(await until(isGone, endMs)) && boxRuns(keeper)) {
        process.kill(keeper.pid, 'SIGKILL');
        await until(isGone, endMs);
      }
      if (!isGone()) return false;
      await clear(name);
      return true;
    },
    clear,
  };
}

type Clear = BoxRuntime['clear'];

async function create(
  spec: BoxSpec,
  socket: string,
  builder: BoxBuilder,
  clear: Clear,
): Promise<CreatedBox> {
  if (Buffer.byteLength(socket) > longestSocketPath)
    throw noResource(`The path of INTERLOCK_HOME is too long for a socket: ${socket}.`);
  // What a crash has left holds nothing by now.
  await clear(spec.name);
  const listener = listenForPackets(socket);
  if (listener === null) throw noResource('No socket could be opened for the box.');
  let isOpen = true;
  const close = (): void => {
    if (isOpen) closeSync(listener);
    isOpen = false;
  };
  try {
    return await builder.build(spec, { path: socket, descriptor: listener });
  } catch (error) {
    // What has begun by now answers still, and nobody else does.
    close();
    tell(socket, 'SIGKILL');
    await until(() => !answers(socket), endMs);
    await clear(spec.name);
    throw error;
  } finally {
    close();
  }
}

/** Whether the very process that was recorded is there, and not only its number, which init has yet to collect. */
function boxRuns(keeper: BoxKeeper | null): keeper is BoxKeeper {
  if (keeper === null || keeper.bootId !== readBootId()) return false;
  try {
    const stat = parseStat(readFileSync(`/proc/${String(keeper.pid)}/stat`, 'utf8'));
    return stat?.startTicks === keeper.startTicks && stat.state !== 'Z' && stat.state !== 'X';
  } catch {
    return false;
  }
}

function answers(socket: string): boolean {
  if (!isSocket(socket)) return false;
  const fd = connectForPackets(socket);
  if (fd !== null) closeSync(fd);
  return fd !== null;
}

function isSocket(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSocket() === true;
}

function tell(socket: string, signal: 'SIGTERM' | 'SIGKILL'): boolean {
  const fd = isSocket(socket) ? connectForPackets(socket) : null;
  if (fd === null) return false;
  const isSent = sendPacket(
    fd,
    encodeFrame({ kind: 'end', signal: constants.signals[signal] }),
    [],
  );
  closeSync(fd);
  return isSent;
}

/** The proxy's listener of a box that runs; null where it has none, or does not run. */
function takeListener(socket: string): number | null {
  const fd = isSocket(socket) ? connectForPackets(socket) : null;
  if (fd === null) return null;
  try {
    if (!sendPacket(fd, encodeFrame({ kind: 'listener' }), [])) return null;
    return receivePacket(fd, 2_000)?.descriptor ?? null;
  } finally {
    closeSync(fd);
  }
}

function exec(socket: string, command: BoxCommand): BoxExec | null {
  const control = isSocket(socket) ? connectForPackets(socket) : null;
  if (control === null) return null;
  const { terminal, network, uid, gid, cwd, file, argv, env, takesInput = false } = command;
  const given = terminal ?? command.output;
  const plan = encodePlan({
    mode: 'join',
    terminal: terminal !== undefined,
    uid,
    gid,
    parent: 0,
    noNetwork: network !== 'full',
    tells: false,
    limits: { processes: 0, memory: 0, fileSize: 0, cpuSeconds: 0, openFiles: 0 },
    cwd,
    file,
    argv,
    env,
    entries: [],
    groups: [],
  });
  const pipes = given === undefined ? [openPipe(), openPipe()] : [];
  const [out = null, err = null] = pipes;
  try {
    if (given === undefined && (out === null || err === null)) return null;
    const kept = handOver(
      plan,
      {
        takesInput: takesInput && terminal === undefined,
        outputs: [out?.write ?? given ?? -1, err?.write ?? given ?? -1],
        tells: false,
        ...(terminal !== undefined && { input: terminal }),
      },
      (descriptors) =>
        sendPacket(control, encodeFrame({ kind: 'run', command: 1, tells: false }), descriptors),
      (signal) => {
        const number = constants.signals[signal];
        sendPacket(control, encodeFrame({ kind: 'signal', command: 1, signal: number }), []);
      },
    );
    if (kept === null) {
      for (const pipe of pipes) if (pipe !== null) closeSync(pipe.read);
      closeSync(control);
      return null;
    }
    const read = (fd: number) => new Socket({ fd, readable: true, writable: false });
    let isOpen = true;
    return {
      ...kept,
      stdout: out === null ? null : read(out.read),
      stderr: err === null ? null : read(err.read),
      close: () => {
        if (isOpen) closeSync(control);
        isOpen = false;
      },
    };
  } finally {
    for (const pipe of pipes) if (pipe !== null) closeSync(pipe.write);
  }
}
