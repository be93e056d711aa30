import { chmodSync, chownSync, lstatSync, renameSync, rmSync } from 'node:fs';
import type { Server } from 'node:net';
import { dirname } from 'node:path';
import type { SharedSocket } from '../../../shared/config/types.ts';
import {
  inspectSocket,
  isLive,
  temporaryNextTo,
} from '../../../shared/node/transport/socket-path.ts';
import { withUmask } from '../../../shared/node/transport/umask.ts';
import { refuse } from '../../../shared/refusal/refusal.ts';

export interface GroupSocketOptions {
  readonly socket: SharedSocket;
  readonly uid: number;
}

/**
 * Listens where the members of a group may knock: the folder 0750, the socket 0660, both ours and
 * the group's. As with the private socket, nobody meets it half set up. Answers how to stop.
 */
export async function listenForGroup(
  server: Server,
  { socket: { path, gid }, uid }: GroupSocketOptions,
): Promise<() => Promise<void>> {
  prepareFolder(dirname(path), { uid, gid });
  if (inspectSocket(path) === 'socket' && (await isLive(path)))
    throw unsafe(`Another program listens on ${path}.`, 'Stop it, or choose another path.');
  const temporary = temporaryNextTo(path);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    withUmask(0o177, () => server.listen(temporary, resolve));
  });
  giveToGroup(temporary, { uid, gid, mode: 0o660 });
  const { dev, ino } = lstatSync(temporary);
  renameSync(temporary, path);
  return async () => {
    const here = lstatSync(path, { throwIfNoEntry: false });
    if (here?.dev === dev && here.ino === ino) rmSync(path, { force: true });
    // Connections that came in belong to the API and end with it; nobody waits for them here.
    server.close();
    await Promise.resolve();
  };
}

function prepareFolder(folder: string, { uid, gid }: { uid: number; gid: number }): void {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  if (stats === undefined)
    throw unsafe(
      `There is no folder ${folder} for the shared socket.`,
      'The unit of "interlock service install --system" makes it (RuntimeDirectory=interlock).',
    );
  if (!stats.isDirectory() || stats.uid !== uid)
    throw unsafe(`${folder} is not a folder of the runner's own user.`, 'Move it away.');
  if ((stats.mode & 0o022) !== 0)
    throw unsafe(
      `Others may write to ${folder}, and put a socket of their own there.`,
      'Look at what lies in it, then: chmod 750 on that folder.',
    );
  giveToGroup(folder, { uid, gid, mode: 0o750 });
}

function giveToGroup(
  path: string,
  { uid, gid, mode }: { readonly uid: number; readonly gid: number; readonly mode: number },
): void {
  try {
    chownSync(path, uid, gid);
    chmodSync(path, mode);
  } catch (error) {
    throw refuse(
      'config-invalid',
      `${path} cannot be given to the group ${String(gid)}.`,
      "The runner's user must be a member of that group.",
      { cause: error },
    );
  }
}

function unsafe(message: string, hint: string): Error {
  return refuse('config-invalid', message, hint);
}
