import { closeSync, constants, fchownSync, fstatSync, openSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { refuse } from '../base/index.ts';
import { libc } from './libc.ts';
import { ownUid } from './paths.ts';
import { closeOnExec, writeBelow } from './shared-folder.ts';

const directoryFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** A file for the home of a sandbox, by its plain name. */
interface DeliveredFile {
  readonly name: string;
  readonly text: string;
}

/**
 * Puts files (0600) into `.interlock/rpc` of the home of a sandbox, whose owner gets them, and returns
 * that folder. The agent may write in that home: no link is followed, and what is not a folder of its
 * owner's alone is refused with `config-invalid`.
 */
export async function deliverTo(
  home: string,
  files: readonly DeliveredFile[],
  word: () => string,
): Promise<string> {
  const real = realpathOf(home);
  const folder = join(real, '.interlock', 'rpc');
  const fds: number[] = [openSync(real, directoryFlags)];
  try {
    const owner = fstatSync(fds[0] ?? -1);
    const own = ownUid();
    if (owner.uid !== own && own !== 0)
      throw refuse(
        'config-invalid',
        `${home} belongs to user ${String(owner.uid)}, who could not read a key of yours.`,
        `Run it as that user's root: sudo interlock agents rekey NAME --deliver ${home}`,
      );
    for (const name of ['.interlock', 'rpc']) {
      const fd = openOwn(fds.at(-1) ?? -1, name);
      if (fd === null) throw notItsOwn(folder);
      fds.push(fd);
      if (own === 0) fchownSync(fd, owner.uid, owner.gid);
      const stats = fstatSync(fd);
      if (stats.uid !== owner.uid || (stats.mode & 0o077) !== 0) throw notItsOwn(folder);
    }
    const parent = fds.at(-1) ?? -1;
    for (const { name, text } of files) {
      const given = own === 0 ? { owner } : {};
      await writeBelow(parent, name, { text, mode: 0o600, word: word(), ...given });
    }
    return folder;
  } finally {
    for (const fd of fds) closeSync(fd);
  }
}

/** The folder of this name, made where it was absent; null for anything else. */
function openOwn(parent: number, name: string): number | null {
  const { at } = libc();
  at.mkdirat(parent, name, 0o700);
  const fd = at.openat(parent, name, directoryFlags | closeOnExec);
  return fd < 0 ? null : fd;
}

function realpathOf(home: string): string {
  try {
    return realpathSync(home);
  } catch (error) {
    throw refuse(
      'config-invalid',
      `There is no folder ${home}.`,
      'Name the home of the sandbox as this machine sees it.',
      { cause: error },
    );
  }
}

function notItsOwn(folder: string): Error {
  return refuse(
    'config-invalid',
    `${folder} is a link, a file, or a folder that others can look into.`,
    'Move it away, or: chmod 700 on both folders. No key was delivered.',
  );
}
