import { spawn } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  realpathSync,
} from 'node:fs';
import { rm, unlink } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { displayPlain, refuse } from '../../../shared/base/index.ts';
import { libc, ownUid, programOnPath } from '../../../shared/home/index.ts';
import {
  lookAt,
  namesIn,
  openChild,
  openRoot,
  removeFolder,
  removeName,
} from '../../undo/files.ts';
import type { OpenFolder } from '../../undo/files.ts';
import { isThere } from './record.ts';

interface Run {
  /** A name to look for, or an absolute path. */
  readonly program: string;
  readonly words: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Locks that are held: who still runs when the runner has died goes on holding them. */
  readonly locks: readonly number[];
  readonly timeoutMs?: number;
}

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const mostOutput = 16 << 20;
const usualMs = 120_000;

/** Runs a program to its end and hands back what it said. Throws where it cannot start or end. */
export async function run(call: Run): Promise<Ran> {
  const file = call.program.startsWith('/')
    ? call.program
    : programOnPath(call.program, call.env['PATH'] ?? '');
  if (file === null)
    throw refuse(
      'host-unavailable',
      `${call.program} is not installed.`,
      `Install ${call.program}, or choose another kind of workspace.`,
    );
  const child = spawn(file, call.words, {
    cwd: call.cwd,
    env: call.env,
    stdio: ['ignore', 'pipe', 'pipe', ...call.locks],
    timeout: call.timeoutMs ?? usualMs,
    killSignal: 'SIGKILL',
  });
  let [stdout, stderr] = ['', ''];
  const { stdout: out, stderr: err } = child;
  if (out === null || err === null) throw new Error('A program was started without its pipes.');
  out.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    if (stdout.length > mostOutput) child.kill('SIGKILL');
  });
  err.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-65_536);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code === null || stdout.length > mostOutput)
    throw refuse(
      'host-unavailable',
      `${call.program} ${call.words.find((word) => !word.startsWith('-')) ?? ''} did not come to its end.`,
      'Try again; if it stays, run it by hand and see what it waits for.',
    );
  return { code, stdout, stderr };
}

/** The last thing that a program complained of, safe to show. */
export function complaintOf({ stderr, code }: Ran): string {
  const lines = stderr.split(/[\r\n]+/u).filter((line) => line.trim() !== '');
  const said = lines.findLast((line) => /^(?:fatal|error):/iu.test(line)) ?? lines.at(-1);
  return said === undefined ? `exit code ${String(code)}` : displayPlain(said.trim()).slice(0, 300);
}

const lockWaitMs = 60_000;

/**
 * Runs `section` while nobody else holds the same lock. What it starts is given the lock, too: when the
 * runner dies, the next one waits until Git, which goes on, has ended. Throws `concurrency-busy` after a
 * minute.
 */
export async function withLock<T>(path: string, section: (lock: number) => Promise<T>): Promise<T> {
  const lock = await takeLock(path);
  try {
    return await section(lock);
  } finally {
    await unlink(path).catch(() => undefined);
    closeSync(lock);
  }
}

const LOCK_EX = 2;
const LOCK_NB = 4;

async function takeLock(path: string): Promise<number> {
  for (let left = lockWaitMs / 50; left > 0; left -= 1) {
    const fd = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
    const stats = fstatSync(fd);
    if (!stats.isFile() || stats.uid !== ownUid()) {
      closeSync(fd);
      throw refuse('config-invalid', `${path} is not a file of yours.`, 'Move it away.');
    }
    const isHeld = libc().flock(fd, LOCK_EX | LOCK_NB) === 0;
    // Whoever had it may have taken its name away in the meantime.
    if (isHeld && lstatSync(path, { throwIfNoEntry: false })?.ino === stats.ino) return fd;
    closeSync(fd);
    await pause(50);
  }
  throw refuse(
    'concurrency-busy',
    'Something else is at work on this workspace or its repository.',
    'Wait for it to end, and try again.',
  );
}

/**
 * Removes a folder with all that is in it, also where folders in it cannot be written. Another box may
 * work in it: whoever puts a link in a folder's place meanwhile has nothing removed where it leads.
 */
export async function removeTree(path: string): Promise<void> {
  if (process.platform !== 'linux') return rm(path, { recursive: true, force: true });
  if (!isThere(dirname(path))) return;
  const parent = openRoot(realpathSync(dirname(path)));
  try {
    // By bytes, as all names below are.
    await removeIn(parent, Buffer.from(basename(path)).toString('latin1'));
  } finally {
    parent.close();
  }
}

const mostTries = 3;

async function removeIn(parent: OpenFolder, name: string): Promise<void> {
  const stats = lookAt(parent, name);
  if (stats === null) return;
  if (!stats.isDirectory()) {
    removeName(parent, name);
    return;
  }
  if (stats.dev !== fstatSync(parent.fd).dev)
    throw refuse(
      'host-unavailable',
      `${displayPlain(name)} in a workspace is another file system.`,
      'Unmount it, and try again.',
    );
  const folder = openChild(parent, name);
  try {
    if ((stats.mode & 0o700) !== 0o700) chmodSync(`/proc/self/fd/${String(folder.fd)}`, 0o700);
    for (let left = mostTries; ; left -= 1) {
      // A tree may be large, and others wait.
      await nextTurn();
      for (const one of namesIn(folder)) await removeIn(folder, one);
      try {
        removeFolder(parent, name);
        return;
      } catch (error) {
        // Somebody still makes files in it.
        if (left === 0) throw error;
      }
    }
  } finally {
    folder.close();
  }
}
