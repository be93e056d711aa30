import { statSync } from 'node:fs';
import { ownUid } from './paths.ts';

/**
 * Root works on a person's home as that person: what it wrote as root would be refused afterwards as
 * somebody else's, the right passphrase included. From here on this process has the rights of the
 * home's owner and no others. Does nothing for anybody but root, and for a home that is root's own
 * or is not there. Throws when the rights cannot be given up.
 */
export function becomeOwner(home: string): void {
  if (process.platform === 'win32' || ownUid() !== 0) return;
  const stats = statSync(home, { throwIfNoEntry: false });
  if (stats === undefined || stats.uid === 0) return;
  process.setgroups?.([stats.gid]);
  process.setgid?.(stats.gid);
  process.setuid?.(stats.uid);
}
