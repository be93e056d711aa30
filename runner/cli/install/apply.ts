import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { unifiedDiff } from '../../../shared/adapters/call/diff.ts';
import { untouchable } from '../../../shared/node/agent-hooks/settings-file.ts';
import { writeFileAtomic } from '../../../shared/node/files/atomic-write.ts';
import { refuse } from '../../../shared/refusal/refusal.ts';
import { copyOf } from './change.ts';
import type { Change } from './change.ts';

/** Whether the file would be another one. */
export function changes({ file, after }: Change): boolean {
  return file.text !== after;
}

/** The change as a unified diff; empty where there is none. */
export function diffOf({ file, after }: Change): string {
  return file.text === after ? '' : unifiedDiff(file.path, file.text ?? '', after ?? '');
}

/** Makes the change, whole or not at all. Nothing is written where nothing changes. */
export function apply(change: Change): void {
  const { file, after } = change;
  requireWritable(change);
  keepCopy(change);
  if (!changes(change)) return;
  requireUntouched(change);
  if (after === null) return remove(file.path);
  mkdirSync(dirname(file.path), { recursive: true, mode: 0o700 });
  writeFileAtomic(file.path, after, { mode: file.mode });
}

/** A file that was made read-only is meant to stay as it is, though it could be replaced. */
function requireWritable({ file }: Change): void {
  if (file.text !== null && (file.mode & 0o200) === 0)
    throw untouchable(file.path, 'is read-only (chmod u+w makes it writable)');
}

function keepCopy({ file, copy }: Change): void {
  const path = copyOf(file.path);
  if (copy === 'make' && file.text !== null) writeFileAtomic(path, file.text, { mode: file.mode });
  if (copy === 'drop') rmSync(path, { force: true });
}

/** The host writes to the same file. */
function requireUntouched({ file }: Change): void {
  const now = existsSync(file.path) ? readFileSync(file.path, 'utf8') : null;
  if (now === file.text) return;
  throw refuse(
    'concurrency-busy',
    `${file.path} was changed in this moment by another program.`,
    'Nothing was changed. Try again.',
  );
}

/** The folder goes too where nothing else is in it: then it was made for the file. */
function remove(path: string): void {
  rmSync(path);
  try {
    rmdirSync(dirname(path));
  } catch {
    // Something else is in it, or it is not ours to remove.
  }
}
