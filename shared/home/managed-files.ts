import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  readdirSync,
} from 'node:fs';
import type { Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf, refuse } from '../base/index.ts';
import type { Refusal } from '../base/index.ts';
import { maxConfigLength, parseManaged } from '../engine/index.ts';
import type { Managed } from '../engine/index.ts';

/** Where the machine's administrator bounds what the users' own files say. */
const managedDirectory = '/etc/interlock/policy.d';

/** Whose files count there, and where; tests have others. */
export interface ManagedPlace {
  readonly directory: string;
  readonly owner: number;
}

const standard: ManagedPlace = { directory: managedDirectory, owner: 0 };
const mostFiles = 100;

export type ManagedFiles =
  | { readonly ok: true; readonly files: readonly Managed[] }
  | { readonly ok: false; readonly problem: Refusal };

/**
 * Reads `*.json` there, in the order of their names; none where there is no such folder. The folder, the
 * one above it and each file have to be root's and writable by nobody else, and each file has to be
 * valid: otherwise the problem is `config-invalid`. Never throws.
 */
export function readManaged({ directory, owner }: ManagedPlace = standard): ManagedFiles {
  try {
    const above = lstatSync(dirname(directory), { throwIfNoEntry: false });
    if (above === undefined) return { ok: true, files: [] };
    // Also where nothing is in it: whoever may write there may have moved the bounds away.
    if (!isFolderOf(owner, above)) return invalid(dirname(directory), notFolder);
    const folder = lstatSync(directory, { throwIfNoEntry: false });
    if (folder === undefined) return { ok: true, files: [] };
    if (!isFolderOf(owner, folder)) return invalid(directory, notFolder);
    const names = readdirSync(directory)
      .filter((name) => name.endsWith('.json'))
      .toSorted();
    if (names.length > mostFiles) return invalid(directory, `holds more than ${mostFiles} files`);
    const files: Managed[] = [];
    for (const name of names) {
      const path = join(directory, name);
      const text = textOf(path, owner);
      if (text === null)
        return invalid(path, 'is not a plain file of root that nobody else may write to');
      const parsed = parseManaged(text, path);
      if (!parsed.ok) return invalid(path, `is not valid: ${parsed.problem}`);
      files.push(parsed.managed);
    }
    return { ok: true, files };
  } catch (error) {
    return invalid(directory, `cannot be read: ${messageOf(error)}`);
  }
}

const notFolder = 'is not a folder of root that nobody else may write to';

function isFolderOf(owner: number, stats: Stats): boolean {
  return stats.isDirectory() && stats.uid === owner && (stats.mode & 0o022) === 0;
}

/** Null where it is anything but a plain file that only the owner may write; throws as reading does. */
function textOf(path: string, owner: number): string | null {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const { size, uid, mode, ...stats } = fstatSync(fd);
    if (!isPlain(mode) || uid !== owner || (mode & 0o022) !== 0 || stats.nlink !== 1) return null;
    if (size > maxConfigLength) return null;
    const bytes = Buffer.alloc(size);
    const read = readSync(fd, bytes, 0, size, 0);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, read));
  } finally {
    closeSync(fd);
  }
}

function isPlain(mode: number): boolean {
  return (mode & constants.S_IFMT) === constants.S_IFREG;
}

/** Changes whenever anything there does. */
export function managedStamp({ directory }: ManagedPlace = standard): string {
  const stamp = (work: () => string): string => {
    try {
      return work();
    } catch (error) {
      return String((error as NodeJS.ErrnoException).code);
    }
  };
  const names = (): string =>
    readdirSync(directory)
      .toSorted()
      .map((name) => stampOf(join(directory, name)))
      .join(' ');
  const above = stamp(() => stampOf(dirname(directory)));
  return [above, stamp(() => stampOf(directory)), stamp(names)].join(' ');
}

function stampOf(path: string): string {
  const { dev, ino, uid, mode, size, mtimeNs, ctimeNs } = lstatSync(path, { bigint: true });
  return [dev, ino, uid, mode, size, mtimeNs, ctimeNs].join(',');
}

function invalid(path: string, why: string): ManagedFiles {
  const hint = 'Its administrator has to mend it. Nothing runs until then.';
  return { ok: false, problem: refuse('config-invalid', `${path} ${why}.`, hint).refusal };
}
