import type { FastifyInstance } from 'fastify';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { refuse } from '../../../shared/base/index.ts';
import { peerCredentials } from '../../../shared/ipc/index.ts';
import type { PeerCredentials } from '../../../shared/ipc/index.ts';
import type { StatusBody } from '../../../shared/wire/index.ts';
import type { Log } from '../../service/log.ts';
import type { PeerOf } from './ports.ts';

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

/** All that another user than the runner's own may call. Whatever is not named here is refused. */
const openToGuests: ReadonlySet<string> = new Set([
  'POST /v1/exec',
  'POST /v1/check',
  'POST /v1/sessions/end',
  'POST /v1/permits',
  'POST /v1/tools',
  'POST /v1/tickets/redeem',
  'POST /v1/hooks/:host',
  'GET /v1/status',
  'GET /v1/trust',
  'GET /v1/events',
  'POST /v1/lockout',
  'POST /v1/pause',
]);

/** Keeps guests to their own: no answers, no history, no asks of others, no end to a pause. */
export function guardGuests(app: FastifyInstance, uid: number, peerOf: PeerOf): void {
  app.addHook('onRequest', async (request) => {
    if (peerOf(request).uid === uid) return;
    if (openToGuests.has(`${request.method} ${request.routeOptions.url ?? ''}`)) return;
    throw refuse(
      'hmac-fail',
      'Only the user of the runner may do this.',
      'A person with the right to do so can act as that user: sudo -u interlock -H interlock …',
    );
  });
}

/** What a guest is told of the runner: how it stands, nothing of what others do. */
export function statusForGuest(status: StatusBody): StatusBody {
  return { ...status, running: [], pending: [], elevated: [] };
}
