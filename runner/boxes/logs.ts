import { spawn } from 'node:child_process';
import { closeSync, constants, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { stripVTControlCharacters } from 'node:util';
import { messageOf } from '../../shared/base/index.ts';
import { ensurePrivateDirectory, openPipe } from '../../shared/home/index.ts';
import type { BoxRecord } from './record.ts';
import type { BoxExec } from './runtime.ts';
import type { ExecRequest, StepOptions } from './steps.ts';
import { heard, pipeWindow, windowPiped } from './tmux.ts';

/** Bytes of one file; a window has two: what is written, and what was before. */
export const logBytes = 4 * 1024 * 1024;

type Exec = (request: ExecRequest) => BoxExec;

/**
 * Keeps what the windows of a box write, each in a file of its own outside of it. Whoever is in the
 * box can end that, and can do nothing to what was written. A small process for each window does it,
 * which ends with the window: neither this process nor a runner has to be there. Settles once all that
 * is written from then on is kept; what cannot be is said, and the box goes on.
 */
export async function keepLogs(
  record: Pick<BoxRecord, 'name' | 'template'>,
  options: Pick<StepOptions, 'clock' | 'launcher' | 'uid' | 'records' | 'progress'>,
  exec: Exec,
): Promise<void> {
  const { name } = record;
  const directory = options.records.logsOf(name);
  let folder: number | null = null;
  try {
    ensurePrivateDirectory(directory, { uid: options.uid });
    const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
    const opened = openSync(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    folder = opened;
    const kept = keptWindows(record).map(async (_, at) => keepLog(at, opened, options, exec));
    if (!(await Promise.all(kept)).every(Boolean)) throw new Error('a window was not heard');
  } catch (error) {
    options.progress(`What the windows of "${name}" write is not all kept: ${messageOf(error)}`);
  } finally {
    if (folder !== null) closeSync(folder);
  }
}

async function keepLog(
  index: number,
  folder: number,
  { launcher, clock }: Pick<StepOptions, 'clock' | 'launcher'>,
  exec: Exec,
): Promise<boolean> {
  const pipe = openPipe();
  if (pipe === null) return false;
  try {
    const writer = spawn(launcher, ['--log', String(index), String(logBytes)], {
      cwd: '/',
      env: {},
      shell: false,
      detached: true,
      stdio: [pipe.read, 'ignore', 'ignore', folder],
    });
    writer.on('error', () => {});
    writer.unref();
    const done = exec({ argv: pipeWindow(index), output: pipe.write });
    const begun = await done.report.begun;
    // It goes on in the box by itself.
    done.unref();
    done.close();
    if (!begun.ok || writer.pid === undefined) return false;
    return (await heard(exec({ argv: windowPiped(index) }), clock)).code === 0;
  } finally {
    closeSync(pipe.read);
    closeSync(pipe.write);
  }
}

const chunkBytes = 64 * 1024;
/** A line that does not end, such as a picture, is shown in parts. */
const longestLine = 16 * 1024;

/** Reads what a window wrote, across the end of one file and the beginning of the next. */
export interface LogReader {
  /** Whole lines that were not read yet, as text without what moves a cursor. */
  readonly read: () => readonly string[];
  /** What stands behind the last whole line. */
  readonly rest: () => string;
  readonly close: () => void;
}

/** Null where nothing of this window was ever kept. */
export function openLog(directory: string, index: number): LogReader | null {
  const path = join(directory, String(index));
  const before = `${path}.1`;
  if (!existsSync(path) && !existsSync(before)) return null;
  const decoder = new StringDecoder('utf8');
  let rest = '';
  let file = openFile(before) ?? openFile(path);
  const lines = (text: string): readonly string[] => {
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    if (rest.length > longestLine) {
      parts.push(rest);
      rest = '';
    }
    return parts.map(shown);
  };
  const next = (): number | null => {
    const last = file === null ? null : fstatSync(file).ino;
    for (const name of [before, path]) {
      const found = openFile(name);
      if (found === null) continue;
      const { ino } = fstatSync(found);
      // The one that was read by now is the older of the two, or gone: then both are new.
      if (ino !== last && (name === path || !isAt(path, last))) return found;
      closeSync(found);
    }
    return null;
  };
  return {
    read: () => {
      let text = '';
      for (;;) {
        if (file !== null) text += readOn(file, decoder);
        const found = next();
        if (found === null) break;
        // What came to the old file between the two.
        if (file !== null) {
          text += readOn(file, decoder);
          closeSync(file);
        }
        file = found;
      }
      return text === '' ? [] : lines(text);
    },
    rest: () => shown(rest),
    close: () => {
      if (file !== null) closeSync(file);
      file = null;
    },
  };
}

/** Bytes of the end of a log that are read to show it. */
const tailBytes = 64 * 1024;

/**
 * The last lines of what a window wrote, as text without what moves a cursor, the one that is being
 * written included; costs the same however long the log is. Null where nothing of it was ever kept.
 */
export function tailLog(directory: string, index: number, most: number): readonly string[] | null {
  const path = join(directory, String(index));
  const newest = endOf(path, tailBytes);
  const older = newest?.isWhole === false ? null : endOf(`${path}.1`, tailBytes);
  if (newest === null && older === null) return null;
  const bytes = Buffer.concat([older, newest].flatMap((end) => end?.bytes ?? []));
  const isWhole = (older ?? newest)?.isWhole === true;
  const lines = bytes.toString('utf8').split('\n');
  if (lines.at(-1) === '') lines.pop();
  // The first one is the end of a line.
  return lines
    .slice(isWhole ? 0 : 1)
    .slice(-most)
    .map(shown);
}

function endOf(
  path: string,
  most: number,
): { readonly bytes: Buffer; readonly isWhole: boolean } | null {
  const file = openFile(path);
  if (file === null) return null;
  try {
    const { size } = fstatSync(file);
    const bytes = Buffer.alloc(Math.min(size, most));
    const count = readSync(file, bytes, 0, bytes.length, size - bytes.length);
    return { bytes: bytes.subarray(0, count), isWhole: size <= most };
  } finally {
    closeSync(file);
  }
}

/** The windows that a box began with, in the order of their logs. Those opened later have none. */
export function keptWindows({ template }: Pick<BoxRecord, 'template'>): readonly string[] {
  return [...template.agents.map(({ name }) => name), 'shell'];
}

function openFile(path: string): number | null {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return null;
  }
}

function isAt(path: string, ino: number | null): boolean {
  const file = openFile(path);
  if (file === null) return false;
  const same = fstatSync(file).ino === ino;
  closeSync(file);
  return same;
}

function readOn(file: number, decoder: StringDecoder): string {
  const bytes = Buffer.alloc(chunkBytes);
  let text = '';
  for (;;) {
    const count = readSync(file, bytes, 0, chunkBytes, null);
    if (count === 0) return text;
    text += decoder.write(bytes.subarray(0, count));
  }
}

/** A line as it stood in the end: what came before a return to its beginning was written over. */
function shown(line: string): string {
  const text = stripVTControlCharacters(line).replace(/\r+$/u, '');
  return text.slice(text.lastIndexOf('\r') + 1);
}
