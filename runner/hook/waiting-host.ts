import { readFileSync, writeSync } from 'node:fs';
import type { HandedOver } from './doubt.ts';

/** A process by its number and the moment of its start, since numbers are used again. */
interface KnownProcess {
  readonly pid: number;
  /** In clock ticks since boot. */
  readonly startedAt: string;
}

/** The host behind the shell that started this hook. */
interface WaitingHost {
  /** Whether that shell is gone. */
  isOrphaned(): boolean;
  /**
   * Ends the host where it still waits for the shell that is gone, and calls back when it is no more.
   * A host that has given up itself, as when a person stops a turn, reads no more and is left alone.
   */
  end(done: () => void): void;
}

const lookMs = 10;
/** Between SIGTERM and SIGKILL. The host does not go on meanwhile: it waits for our output to end. */
const graceMs = 1_000;

/**
 * The host as it is when the hook starts. It has to be known then: once the shell is gone, nothing
 * says whose it was. Known on Linux alone; elsewhere nothing is ended. What the native client handed
 * over is what it knew from its own start.
 */
export function waitingHost(handed: HandedOver | null): WaitingHost {
  const parent = process.ppid;
  const host =
    handed === null ? processOf(fieldsOf(parent)?.[parentField]) : knownProcess(handed.host);
  return {
    isOrphaned: () => handed?.doubt === 'alone' || process.ppid !== parent,
    end: (done) => {
      if (host === null || host.pid <= 1 || !isRead()) return done();
      signal(host, 'SIGTERM');
      const kill = setTimeout(() => signal(host, 'SIGKILL'), graceMs);
      const look = setInterval(() => {
        if (isAlive(host)) return;
        clearTimeout(kill);
        clearInterval(look);
        done();
      }, lookMs);
    },
  };
}

/** Whether somebody still reads our output: a space before JSON means nothing. */
function isRead(): boolean {
  try {
    writeSync(1, ' ');
    return true;
  } catch {
    return false;
  }
}

function isAlive({ pid, startedAt }: KnownProcess): boolean {
  const fields = fieldsOf(String(pid));
  return fields !== null && fields[startField] === startedAt && fields[stateField] !== 'Z';
}

function signal(host: KnownProcess, name: 'SIGTERM' | 'SIGKILL'): void {
  try {
    if (isAlive(host)) process.kill(host.pid, name);
  } catch {
    // It has ended in this moment.
  }
}

function processOf(pid: string | undefined): KnownProcess | null {
  const startedAt = pid === undefined ? undefined : fieldsOf(pid)?.[startField];
  return pid === undefined || startedAt === undefined ? null : { pid: Number(pid), startedAt };
}

function knownProcess(text: string): KnownProcess | null {
  const [, pid, startedAt] = /^(\d{1,10}):(\d{1,20})$/.exec(text) ?? [];
  return pid === undefined || startedAt === undefined ? null : { pid: Number(pid), startedAt };
}

/** Of `/proc/PID/stat`, counted behind the name, which may hold anything. */
const stateField = 0;
const parentField = 1;
const startField = 19;

function fieldsOf(pid: number | string): readonly string[] | null {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}
