import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { peerCredentials } from '../../../shared/node/peer/credentials.ts';
import type { PeerCredentials } from '../../../shared/node/peer/types.ts';
import { refuse } from '../../../shared/refusal/refusal.ts';
import type { Log } from '../../log/log.ts';
import type { PeerOf } from './types.ts';

export interface PeersOptions {
  /** The one user who may connect. */
  readonly uid: number;
  readonly log: Log;
  readonly credentials?: (socket: Socket) => PeerCredentials | null;
}

/** Those whom the shared door has let in already. */
const letIn = new WeakMap<object, PeerCredentials>();

/** Hands a connection over to the server, for a peer whose right to come was checked elsewhere. */
export function handIn(server: Server, socket: Socket, peer: PeerCredentials): void {
  letIn.set(socket, peer);
  server.emit('connection', socket);
}

/** Looks at each connection when it is made, and ends those of anybody else unheard. */
export function guardPeers(server: Server, options: PeersOptions): PeerOf {
  const { uid, log, credentials = peerCredentials } = options;
  const peers = new WeakMap<object, PeerCredentials>();
  server.on('connection', (socket: Socket) => {
    const guest = letIn.get(socket);
    const peer = guest ?? credentials(socket);
    if (peer !== null && (guest !== undefined || peer.uid === uid)) {
      peers.set(socket, peer);
      return;
    }
    log.warn(
      `A connection of ${peer === null ? 'nobody knows whom' : `user ${peer.uid}`} was refused.`,
    );
    socket.destroy();
  });
  return ({ raw }) => {
    const peer = peers.get(raw.socket);
    if (peer !== undefined) return peer;
    throw refuse('hmac-fail', 'The system does not say who is asking.', 'Connect again.');
  };
}
