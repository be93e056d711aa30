import { dirname, join } from 'node:path';
import { writeFileAtomic } from '../files/atomic-write.ts';
import { readPrivateFile } from '../files/private-file.ts';
import type { HomePaths } from '../home/paths.ts';
import type { LockoutState } from './types.ts';

/** The lock that lies ready: renaming it into place needs no room on the disk. */
export function readyLockPath({ lockout }: Pick<HomePaths, 'lockout'>): string {
  return join(dirname(lockout), 'lockout.ready');
}

/** Makes the ready lock unless a good one is there. Throws when it cannot be written. */
export function prepareReadyLock(
  paths: Pick<HomePaths, 'lockout'>,
  uid = process.geteuid?.() ?? -1,
): void {
  const path = readyLockPath(paths);
  const there = readPrivateFile(path, { uid, maxBytes: 4_096 });
  if (there.kind === 'text' && there.text === readyText) return;
  writeFileAtomic(path, readyText);
}

const readyText = `${JSON.stringify(
  {
    version: 1,
    locked: true,
    reason: 'Locked while the disk could not be written; the reason is not known.',
    at: 0,
    by: 'ready lock',
  } satisfies LockoutState,
  null,
  2,
)}\n`;
