import { createServer } from 'node:net';
import type { Socket } from 'node:net';
import type { SharedSocket } from '../../../shared/config/types.ts';
import { peerCredentials } from '../../../shared/node/peer/credentials.ts';
import type { PeerCredentials } from '../../../shared/node/peer/types.ts';
import { refuse } from '../../../shared/refusal/refusal.ts';
import { listenForGroup } from './shared-socket.ts';

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
