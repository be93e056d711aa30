import { chmodSync, chownSync, lstatSync } from 'node:fs';
import { createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { dirname } from 'node:path';
import { refuse } from '../../../shared/base/index.ts';
import type { SharedSocket } from '../../../shared/engine/index.ts';
import {
  nodeServer,
  peerCredentials,
  publishSocket,
  requireDead,
} from '../../../shared/ipc/index.ts';
import type { PeerCredentials } from '../../../shared/ipc/index.ts';

interface GroupSocketOptions {
  readonly socket: SharedSocket;
  readonly uid: number;
}

/**
 * Listens where the members of a group may knock: the folder 0750, the socket 0660, both ours and
 * the group's. As with the private socket, nobody meets it half set up. Answers how to stop.
 */
async function listenForGroup(
  server: Server,
  { socket: { path, gid }, uid }: GroupSocketOptions,
): Promise<() => Promise<void>> {
  prepareFolder(dirname(path), { uid, gid });
  await requireDead(path, () =>
    unsafe(`Another program listens on ${path}.`, 'Stop it, or choose another path.'),
  );
  const withdraw = await publishSocket(path, {
    ...nodeServer(server),
    prepare: (made) => giveToGroup(made, { uid, gid, mode: 0o660 }),
  });
  return async () => {
    withdraw();
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

/**
 * Gives an open door to its group again: at each reload systemd hands the folder, with what is in
 * it, to the unit's own group. False when the socket is no longer there; throws as opening does.
 */
export function keepDoorForGroup({ socket: { path, gid }, uid }: GroupSocketOptions): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isSocket() !== true || stats.uid !== uid) return false;
  prepareFolder(dirname(path), { uid, gid });
  giveToGroup(path, { uid, gid, mode: 0o660 });
  return true;
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

export interface SharedDoorOptions {
  readonly socket: SharedSocket;
  /** Whose door it is. */
  readonly uid: number;
  /** Whether this user may come, by the settings as they are now. */
  readonly mayCome: (uid: number) => boolean;
  readonly letIn: (socket: Socket, peer: PeerCredentials) => void;
  /** Told of each who was turned away; null when the system does not say who. */
  readonly onStranger: (uid: number | null) => void;
  readonly credentials?: (socket: Socket) => PeerCredentials | null;
}

/** Guests have places of their own: however many knock, the runner's own door stays free. */
const mostConnections = 256;
const farewellMs = 1_000;

/**
 * Opens the door for other users and answers how to close it. The group on the socket only says who
 * may knock; who may come in is decided here, by the uid that the kernel names. Strangers get a
 * refusal and are not listened to. Throws `config-invalid` where the place is not safe.
 */
export async function openSharedDoor(options: SharedDoorOptions): Promise<() => Promise<void>> {
  const { mayCome, letIn, onStranger, credentials = peerCredentials } = options;
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const peer = credentials(socket);
    if (peer !== null && mayCome(peer.uid)) {
      letIn(socket, peer);
      return;
    }
    onStranger(peer?.uid ?? null);
    turnAway(socket, peer);
  });
  server.maxConnections = mostConnections;
  return listenForGroup(server, options);
}

/** Says no in the words of the API, and takes in nothing of what was sent. */
function turnAway(socket: Socket, peer: PeerCredentials | null): void {
  const { refusal } = refuse(
    'hmac-fail',
    peer === null
      ? 'The system does not say who is asking.'
      : `User ${String(peer.uid)} may not use this runner.`,
    'Who may is a list in config.json of the runner ("users"). An administrator can change it.',
  );
  const body = JSON.stringify({ ok: false, refusal });
  socket.on('error', () => socket.destroy());
  socket.setTimeout(farewellMs, () => socket.destroy());
  // Read and dropped: a socket closed over unread words takes the answer with it.
  socket.resume();
  socket.end(
    [
      'HTTP/1.1 403 Forbidden',
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${String(Buffer.byteLength(body))}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}
