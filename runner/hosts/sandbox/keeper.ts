import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { Server, Socket } from 'node:net';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../../../shared/base/index.ts';
import { openPacketPair, openPipe, sendPacket } from '../../../shared/home/index.ts';
import { encodeFrame, encodeKeeperPlan } from './message.ts';
import type { KeeperPlan } from './message.ts';
import { readReport } from './report.ts';
import type { Begun, LaunchReport } from './report.ts';

/** The descriptors of a command that a keeper starts. Those that are given are closed here. */
export interface KeptStdio {
  /** What it reads; null: nothing. */
  readonly takesInput: boolean;
  /** A descriptor that it reads in the place of that, kept open here. */
  readonly input?: number;
  /** Descriptors that it writes to, kept open here. */
  readonly outputs: readonly [number, number];
  /** It tells something on its descriptor 3. */
  readonly tells: boolean;
}

/** A command that a keeper was told to start. */
export interface KeptCommand {
  /** `closed` settles when nothing of it lives any more. */
  readonly report: LaunchReport;
  readonly stdin: Writable | null;
  readonly told: Readable | null;
  /**
   * To all of its processes, wherever they have gone. One that is still there two seconds after a
   * SIGKILL goes with all that its box holds.
   */
  readonly signal: (signal: NodeJS.Signals) => void;
  /** This process may end before it does. */
  readonly unref: () => void;
}

/** A process that starts commands, in one box or as they are, without a fork of this one. */
export interface Keeper {
  /** Its number; undefined where it could not be started. */
  readonly pid: number | undefined;
  /** How its own start went. Never rejects. */
  readonly begun: Promise<Begun>;
  /** It is there, as far as is known: what it is told now is done. */
  readonly isOpen: () => boolean;
  /** Starts the command of an encoded plan; null where it cannot be told to. */
  readonly run: (plan: Uint8Array, stdio: KeptStdio) => KeptCommand | null;
  /** Ends it, and a box with all in it, at once. */
  readonly close: () => void;
  /** Settles when it has ended. */
  readonly closed: Promise<void>;
}

/** How long a keeper may take to end what it holds. */
const endMs = 5_000;

/**
 * Starts a keeper. It ends with this process, whatever ends that. Null where this machine cannot hand
 * descriptors to another program.
 *
 * @param launcher absolute path of the launcher
 * @param listens called with the socket that is opened in the box, where the plan has a port for it
 */
export function openKeeper(
  launcher: string,
  plan: KeeperPlan,
  clock: Clock,
  listens?: (server: Server) => void,
): Keeper | null {
  const pair = openPacketPair();
  if (pair === null) return null;
  const { ours, theirs } = pair;
  const child = spawn(launcher, [], {
    cwd: '/',
    env: {},
    shell: false,
    detached: true,
    stdio: [
      ...(['ignore', 'ignore', 'ignore', 'pipe', 'pipe', theirs] as const),
      ...(listens === undefined ? [] : (['ignore', 'ipc'] as const)),
    ],
  });
  closeSync(theirs);
  if (listens !== undefined) takeOver(child, listens);
  let isOpen = true;
  let cancelKill = (): void => {};
  const close = (): void => {
    if (!isOpen) return;
    isOpen = false;
    // It reads the end of the packets, ends the box, and waits for all that was in it.
    closeSync(ours);
    cancelKill = clock.after(endMs, () => void child.kill('SIGKILL'));
  };
  const closed = new Promise<void>((resolve) => {
    const gone = (): void => {
      close();
      cancelKill();
      resolve();
    };
    child.once('exit', gone);
    child.once('error', gone);
  });
  child.unref();
  const wire = child.stdio[3] as Socket | null;
  wire?.on('error', () => {});
  wire?.end(encodeKeeperPlan(plan));
  const answers = child.stdio[4] as Socket | null;
  const report = answers === null ? null : readReport(answers);
  answers?.unref();
  let commands = 0;
  return {
    pid: child.pid,
    begun: report?.begun ?? Promise.resolve({ ok: false, step: 'keeper', error: 'unheard' }),
    isOpen: () => isOpen,
    close,
    closed,
    run: (message, stdio) => {
      if (!isOpen) return null;
      commands += 1;
      const command = commands;
      const tell = (signal: NodeJS.Signals): void => {
        const number = constants.signals[signal];
        // What cannot be told to end ends with all.
        if (
          isOpen &&
          !sendPacket(ours, encodeFrame({ kind: 'signal', command, signal: number }), [])
        )
          close();
      };
      const send = (descriptors: readonly number[]): boolean =>
        sendPacket(ours, encodeFrame({ kind: 'run', command, tells: stdio.tells }), descriptors);
      return handOver(message, stdio, send, tell);
    },
  };
}

/** Bytes that an empty pipe takes at once, whoever else has pipes (`PIPE_BUF`). */
const alwaysFits = 4096;

/**
 * Makes the descriptors of a command and sends them with `send`. Null where it was not taken; then
 * nothing is left open.
 */
export function handOver(
  message: Uint8Array,
  { takesInput, input: given, outputs, tells }: KeptStdio,
  send: (descriptors: readonly number[]) => boolean,
  signal: KeptCommand['signal'],
): KeptCommand | null {
  /** Our ends, and the command's. */
  const ours: number[] = [];
  const theirs: number[] = [];
  const open = (isRead: boolean): { readonly own: number; readonly its: number } => {
    const pipe = openPipe();
    if (pipe === null) throw new Error('there are no pipes');
    const [own, its] = isRead ? [pipe.write, pipe.read] : [pipe.read, pipe.write];
    ours.push(own);
    theirs.push(its);
    return { own, its };
  };
  let isSent = false;
  try {
    const input = takesInput ? open(true) : null;
    const nothing = input === null ? openSync('/dev/null', 'r') : null;
    if (nothing !== null) theirs.push(nothing);
    const plan = open(true);
    const answers = open(false);
    const told = tells ? open(false) : null;
    const isShort = message.length <= alwaysFits;
    if (isShort) {
      writeSync(plan.own, message);
      ours.splice(ours.indexOf(plan.own), 1);
      closeSync(plan.own);
    }
    isSent = send([
      given ?? input?.its ?? nothing ?? -1,
      ...outputs,
      plan.its,
      answers.its,
      ...(told === null ? [] : [told.its]),
    ]);
    if (!isSent) return null;
    if (!isShort) {
      const planWire = new Socket({ fd: plan.own, readable: false, writable: true });
      // A command that ends early says so in its report.
      planWire.on('error', () => {});
      planWire.end(message);
    }
    const reported = new Socket({ fd: answers.own, readable: true, writable: false });
    return {
      report: readReport(reported),
      stdin: input === null ? null : new Socket({ fd: input.own, readable: false, writable: true }),
      told: told === null ? null : new Socket({ fd: told.own, readable: true, writable: false }),
      signal,
      unref: () => void reported.unref(),
    };
  } catch {
    // Too many open files, for one: the command was not started, and nothing is left open.
    return null;
  } finally {
    for (const fd of isSent ? theirs : [...theirs, ...ours]) closeSync(fd);
  }
}

/** Takes the one socket that a launcher hands out; whatever else comes is let go of. */
export function takeOver(child: ChildProcess, listens: (server: Server) => void): void {
  child.channel?.unref();
  child.once('message', (_message, handle) => {
    if (handle instanceof Server) listens(handle);
  });
  child.on('error', () => {});
}
