import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { Duplex } from 'node:stream';
import { checkServerIdentity } from 'node:tls';
import type { PeerCertificate } from 'node:tls';
import { connect, jwtAuthenticator } from '@nats-io/transport-node';
import type { NatsConnection } from '@nats-io/transport-node';
import { messageOf } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import { keepTrying } from '../limits/keep-trying.ts';
import { openStreamDoor } from '../nodes/listener.ts';
import type { StreamDoor, StreamDoorOptions } from '../nodes/listener.ts';
import { Rejection } from '../nodes/talk.ts';
import type { FleetAccess } from './files.ts';
import { inboxOf, topics } from './keys.ts';
import { quietSockets } from './quiet-sockets.ts';

/**
 * Streams of bytes over NATS. The broker can read, lose, repeat and forge what it passes on, which is
 * why TLS runs within: whatever it does to a stream ends that stream.
 */

/** Bytes of one message, and bytes that may be under way before the broker says that it has them. */
const mostInMessage = 64 * 1024;
const mostUnderWay = 512 * 1024;
/** Bytes that came and were not taken up. */
const mostWaiting = 24 * 1024 * 1024;
/** Streams that one user may have at once: one, and those that broke without a word. */
const mostOfUser = 4;
/** The first byte of a handshake of TLS. */
const handshake = 0x16;
const wellMs = 60_000;
const connectMs = 10_000;
const answerMs = 5_000;

quietSockets();

/** Connects to nats-server. Rejects with a `Rejection`; nothing of the credentials is in it. */
export async function connectFleet(access: FleetAccess): Promise<NatsConnection> {
  const { servers, ca, user, seed, jwt } = access;
  const isTls = servers.some((each) => each.startsWith('tls:'));
  try {
    return await connect({
      servers: [...servers],
      authenticator: jwtAuthenticator(jwt, new TextEncoder().encode(seed)),
      inboxPrefix: inboxOf(user),
      // A stream that missed something is over, so that there is nothing to come back to.
      reconnect: false,
      ignoreClusterUpdates: true,
      timeout: connectMs,
      pingInterval: 15_000,
      maxPingOut: 2,
      ...(isTls && { tls: tlsOf(servers, ca) }),
    });
  } catch (error) {
    throw new Rejection('lost', `nats-server lets nobody in there: ${messageOf(error)}`);
  }
}

/**
 * What TLS goes by. The client names no host for a server that is given by its address, and Node then
 * looks for a certificate of "localhost": here it has to be one of such an address.
 */
function tlsOf(servers: readonly string[], ca: string | null) {
  const hosts = servers.map((each) => new URL(each).hostname.replaceAll(/^\[|\]$/gu, ''));
  const unnamed = hosts.filter((host) => isIP(host) !== 0 || host === 'localhost');
  const identity = (host: string, shown: PeerCertificate): Error | undefined => {
    const asked = host === 'localhost' && unnamed.length > 0 ? unnamed : [host];
    const failures = asked.map((each) => checkServerIdentity(each, shown));
    return failures.includes(undefined) ? undefined : failures[0];
  };
  return { checkServerIdentity: identity, ...(ca !== null && { ca }) };
}

/** One end of a stream. What comes is handed to `take`. */
class NatsStream extends Duplex {
  readonly #connection: NatsConnection;
  readonly #subject: string;
  readonly #gone: () => void;
  #underWay = 0;

  constructor(connection: NatsConnection, subject: string, gone: () => void) {
    super();
    this.#connection = connection;
    this.#subject = subject;
    this.#gone = gone;
  }

  /** Takes a message up; an empty one is the end. */
  receive(data: Uint8Array): void {
    if (this.destroyed) return;
    if (data.length === 0 || this.readableLength + data.length > mostWaiting) this.destroy();
    else this.push(data);
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    try {
      for (let at = 0; at < chunk.length; at += mostInMessage)
        this.#connection.publish(this.#subject, chunk.subarray(at, at + mostInMessage));
    } catch (error) {
      done(error as Error);
      return;
    }
    this.#underWay += chunk.length;
    if (this.#underWay < mostUnderWay) {
      done();
      return;
    }
    this.#underWay = 0;
    void this.#settle(done);
  }

  /** Goes on when the broker has what was sent. */
  async #settle(done: (error?: Error | null) => void): Promise<void> {
    let failure: Error | null = null;
    try {
      await this.#connection.flush();
    } catch (error) {
      failure = error as Error;
    }
    done(failure);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    try {
      if (!this.#connection.isClosed()) this.#connection.publish(this.#subject);
    } catch {
      // It closes in this very moment.
    }
    this.#gone();
    done(error);
  }
}

/**
 * A stream of a node to the gateway that made its fleet, or to the further one with this id. The
 * connection ends with it. Rejects with a `Rejection` where that gateway is not at nats-server.
 */
export async function openNodeStream(
  connection: NatsConnection,
  { user }: Pick<FleetAccess, 'user'>,
  gateway: string | null = null,
): Promise<Duplex> {
  const session = randomBytes(16).toString('base64url');
  const there = gateway === null ? topics.up(user, session) : topics.to(gateway, user, session);
  const stream = new NatsStream(connection, there, () => {
    connection.drain().catch(() => undefined);
  });
  connection.subscribe(topics.down(user, session), {
    callback: (error, message) => {
      if (error === null) stream.receive(message.data);
      else stream.destroy();
    },
  });
  endWith(connection, () => [stream]);
  try {
    await connection.request(there, undefined, { timeout: answerMs });
    return stream;
  } catch (error) {
    stream.destroy();
    throw new Rejection('lost', `The gateway is not at nats-server: ${messageOf(error)}`);
  }
}

export interface AcceptOptions {
  readonly door: StreamDoor;
  readonly isRevoked: (user: string) => boolean;
  /** The id of this gateway; null for the one that made the fleet. */
  readonly gateway: string | null;
}

/** Takes the streams of all nodes up, for as long as the connection stands; none of a revoked user. */
export function acceptStreams(
  connection: NatsConnection,
  { door, isRevoked, gateway }: AcceptOptions,
): void {
  const streams = new Map<string, NatsStream>();
  const ofUser = (user: string): number =>
    [...streams.keys()].filter((key) => key.startsWith(`${user} `)).length;
  const here = gateway === null ? topics.up('*', '*') : topics.to(gateway, '*', '*');
  connection.subscribe(here, {
    callback: (error, message) => {
      const { subject, data, reply } = message;
      // nats-server let this user, and no other, say something under this subject.
      const [user = '', session = ''] = error === null ? subject.split('.').slice(-2) : [];
      const key = `${user} ${session}`;
      const known = streams.get(key);
      if (known !== undefined) known.receive(data);
      else if (isRevoked(user)) return;
      else if (data[0] === handshake && ofUser(user) < mostOfUser) {
        const stream = new NatsStream(connection, topics.down(user, session), () => {
          streams.delete(key);
        });
        streams.set(key, stream);
        door.take(stream, user);
        stream.receive(data);
      }
      // It asks whether somebody is here, at an inbox of its own: nobody else is answered in its place.
      else if (data.length === 0 && reply?.startsWith(`${inboxOf(user)}.`) === true)
        message.respond();
      // A stream of a gateway that was killed: nobody else would tell the node so before it misses us.
      else if (data.length > 0) connection.publish(topics.down(user, session));
    },
  });
  endWith(connection, () => [...streams.values()]);
}

function endWith(connection: NatsConnection, streams: () => readonly Duplex[]): void {
  const end = (): void => streams().forEach((stream) => stream.destroy());
  connection.closed().then(end, end);
}

export interface FleetDoorOptions extends StreamDoorOptions {
  readonly access: FleetAccess;
  /** The id of this gateway; null for the one that made the fleet. */
  readonly gateway: string | null;
  readonly clock: Clock;
  /** From 0 up to 1: spreads the attempts of many who lost the same server at once. */
  readonly random: () => number;
  /** Users that are let in no more, whatever nats-server says. */
  readonly isRevoked: (user: string) => boolean;
  /** nats-server is there, again. */
  readonly onReached: (connection: NatsConnection) => void;
  /** Why nodes cannot be reached, one line; null where they can. */
  readonly onProblem: (why: string | null) => void;
}

/** Keeps the gateway at nats-server until it is disposed of, with growing waits between. */
export function joinFleet(options: FleetDoorOptions): { readonly dispose: () => Promise<void> } {
  const { access, gateway, clock, random, isRevoked, onReached, onProblem } = options;
  const door = openStreamDoor(options);
  const stop = new AbortController();
  const { signal } = stop;
  const done = keepTrying({
    clock,
    random,
    signal,
    firstMs: 1_000,
    longestMs: 30_000,
    attempt: async (wentWell) => {
      try {
        const connection = await connectFleet(access);
        const leave = (): void => void connection.close().catch(() => undefined);
        signal.addEventListener('abort', leave);
        if (signal.aborted) leave();
        else {
          acceptStreams(connection, { door, isRevoked, gateway });
          await connection.flush();
        }
        onProblem(null);
        onReached(connection);
        const cancel = clock.after(wellMs, wentWell);
        const error = await connection.closed();
        cancel();
        signal.removeEventListener('abort', leave);
        onProblem(signal.aborted ? null : `The connection ended: ${messageOf(error ?? 'closed')}`);
      } catch (error) {
        onProblem(messageOf(error));
      }
      return 'again';
    },
  });
  return {
    dispose: async () => {
      stop.abort();
      door.dispose();
      await done;
    },
  };
}
