import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, existsSync, lstatSync, readFileSync, rmSync, rmdirSync } from 'node:fs';
import { Socket } from 'node:net';
import { constants } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { refuse } from '../../shared/base/index.ts';
import {
  connectForPackets,
  listenForPackets,
  longestSocketPath,
  openPipe,
  parseStat,
  readBootId,
  receivePacket,
  sendPacket,
  startTicksOf,
} from '../../shared/home/index.ts';
import type { BoxKeeper } from '../../shared/home/index.ts';
import { findGroups } from '../hosts/sandbox/groups.ts';
import { handOver } from '../hosts/sandbox/keeper.ts';
import { launchRefusal } from '../hosts/sandbox/launch.ts';
import { encodeFrame, encodeKeeperPlan, encodePlan } from '../hosts/sandbox/message.ts';
import { probeSandbox } from '../hosts/sandbox/probe.ts';
import { readReport } from '../hosts/sandbox/report.ts';
import type { BoxRecords } from './record.ts';
import type {
  BoxCommand,
  BoxExec,
  BoxRuntime,
  BoxSpec,
  CreatedBox,
  RuntimeOptions,
} from './runtime.ts';

/** Where the proxy listens on a box's own loopback. */
export const proxyPort = 3_128;

const endMs = 5_000;
const stepMs = 20;

/**
 * Boxes that our launcher builds and keeps. A keeper is a process of ours outside of its box; it
 * listens at a socket in the folder of records, which is ours alone and in no box. Its death is that
 * of all in the box.
 */
export function kernelRuntime(
  records: Pick<BoxRecords, 'socketOf'>,
  options: RuntimeOptions,
): BoxRuntime {
  const { launcher, uid } = options;
  return {
    name: 'kernel',
    problem: async () => {
      const probe = await probeSandbox({ launcher, uid, bubblewrap: null });
      if (probe.problem !== null) return probe.problem;
      const hasLandlock = probe.capabilities.some(({ name, ok }) => name === 'landlock' && ok);
      return hasLandlock ? null : 'The kernel has no Landlock, by which a box that stays is held.';
    },
    create: async (spec) => create(spec, records.socketOf(spec.name), options),
    runs: (name, keeper) => boxRuns(keeper) || answers(records.socketOf(name)),
    exec: (name, command) => exec(records.socketOf(name), command),
    destroy: async (name, keeper, graceMs) => {
      const socket = records.socketOf(name);
      const isGone = (): boolean => !boxRuns(keeper) && !answers(socket);
      if (graceMs > 0 && tell(socket, 'SIGTERM')) await until(isGone, graceMs);
      tell(socket, 'SIGKILL');
      if (!(await until(isGone, endMs)) && boxRuns(keeper)) {
        process.kill(keeper.pid, 'SIGKILL');
        await until(isGone, endMs);
      }
      if (!isGone()) return false;
      rmSync(socket, { force: true });
      const groups = findGroups(uid);
      // The kernel takes a moment to let go of a group whose processes have ended.
      if (groups.ok) await until(groups.known(groupOf(socket)).remove, endMs);
      return true;
    },
  };
}

/** Whether the very process that was recorded is there, and not only its number, which init has yet to collect. */
export function boxRuns(keeper: BoxKeeper | null): keeper is BoxKeeper {
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

async function until(isDone: () => boolean, mostMs: number): Promise<boolean> {
  for (let waited = 0; waited < mostMs; waited += stepMs) {
    if (isDone()) return true;
    // A timer that keeps this process alive: nothing else may be there to wait for.
    await sleep(stepMs);
  }
  return isDone();
}

/** The proxy's listener of a box that runs; null where it has none, or does not run. */
export function takeListener(socket: string): number | null {
  const fd = isSocket(socket) ? connectForPackets(socket) : null;
  if (fd === null) return null;
  try {
    if (!sendPacket(fd, encodeFrame({ kind: 'listener' }), [])) return null;
    return receivePacket(fd, 2_000)?.descriptor ?? null;
  } finally {
    closeSync(fd);
  }
}

/** Homes have boxes of the same name. */
function groupOf(socket: string): string {
  return `box-${createHash('sha256').update(socket).digest('hex').slice(0, 16)}`;
}

async function create(
  spec: BoxSpec,
  socket: string,
  { launcher, uid }: RuntimeOptions,
): Promise<CreatedBox> {
  if (!existsSync(launcher)) throw noResource('The launcher of the sandbox is not installed.');
  if (Buffer.byteLength(socket) > longestSocketPath)
    throw noResource(`The path of INTERLOCK_HOME is too long for a socket: ${socket}.`);
  rmSync(socket, { force: true });
  const groups = findGroups(uid);
  const limits = { memory: spec.memory, processes: spec.limits.processes, apart: true } as const;
  const id = groupOf(socket);
  // One that a crash has left is empty by now.
  if (groups.ok) await until(groups.known(id).remove, endMs);
  const files = groups.ok ? groups.open(id, limits).files : [];
  const listener = listenForPackets(socket);
  try {
    if (listener === null) throw noResource('No socket could be opened for the box.');
    const child = spawn(launcher, [], {
      cwd: '/',
      env: {},
      shell: false,
      detached: true,
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe', listener],
    });
    child.on('error', () => {});
    child.unref();
    const wire = child.stdio[3] as Socket;
    wire.on('error', () => {});
    wire.end(
      encodeKeeperPlan({
        mode: 'named',
        uid: spec.uid,
        gid: spec.gid,
        parent: 0,
        noNetwork: spec.network !== 'full',
        ...(spec.network !== 'full' && { proxyPort }),
        groups: files,
        entries: spec.entries,
        limits: spec.limits,
        hostname: spec.name,
      }),
    );
    const begun = await readReport(child.stdio[4] as Socket).begun;
    if (!begun.ok) throw launchRefusal(begun);
    const startTicks = child.pid === undefined ? null : startTicksOf(child.pid);
    const bootId = readBootId();
    if (child.pid === undefined || startTicks === null || bootId === null)
      throw launchRefusal({ ok: false, step: 'keeper', error: 'it ended at once' });
    return { keeper: { pid: child.pid, startTicks, bootId }, groups: files, held: begun.held };
  } catch (error) {
    rmSync(socket, { force: true });
    removeGroups(files);
    throw error;
  } finally {
    if (listener !== null) closeSync(listener);
  }
}

/** Removes control groups that are empty; false while one is not. */
export function removeGroups(files: readonly string[]): boolean {
  return files
    .map((file) => {
      try {
        rmdirSync(dirname(file));
        return true;
      } catch (error) {
        return (error as NodeJS.ErrnoException).code === 'ENOENT';
      }
    })
    .every(Boolean);
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

function noResource(why: string): Error {
  return refuse('host-unavailable', `${why} No box was made.`, 'See interlock sandbox status.');
}
