import { createHash, timingSafeEqual } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { connect } from 'node:tls';
import type { TLSSocket } from 'node:tls';
import { WebSocket } from 'ws';
import { messageOf } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import {
  channelOf,
  nodePath,
  nodeSubprotocol,
  socketOptions,
  tlsVersion,
  wireOver,
} from './carrier.ts';
import type { NodeAddress } from './address.ts';
import type { Channel } from './handshake.ts';
import type { TextWire } from './link.ts';
import { createTalk, Rejection } from './talk.ts';
import type { Talk } from './talk.ts';

/** A connection to a gateway, before either side has said a word. */
export interface Dialled {
  readonly talk: Talk;
  readonly wire: TextWire;
  readonly channel: Channel;
}

export interface DialOptions extends NodeAddress {
  /** SHA-256 of the certificate that it has to show (hex); null where a person compares a code. */
  readonly certificate: string | null;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const connectMs = 15_000;

/**
 * Connects out. Nothing is sent to a gateway that shows another certificate than the kept one. Rejects
 * with a `Rejection`.
 */
export async function dial(options: DialOptions): Promise<Dialled> {
  const { host, port } = options;
  const socket = await openTls(options, { host, port });
  socket.setKeepAlive(true, 30_000);
  return speakOver(socket, options);
}

export interface StreamDialOptions extends Omit<DialOptions, keyof NodeAddress> {
  /** A stream to the gateway, whoever made it and whoever may read or change what goes through it. */
  readonly stream: Duplex;
}

/**
 * The same over a stream that is there already. Whoever can open such a stream could show another
 * certificate, so that this ends the attempt, and not the trying. Rejects with a `Rejection`.
 */
export async function dialThrough(options: StreamDialOptions): Promise<Dialled> {
  const { stream } = options;
  try {
    const socket = await openTls(options, { socket: stream });
    socket.once('close', () => stream.destroy());
    return await speakOver(socket, options);
  } catch (error) {
    stream.destroy();
    if (error instanceof Rejection && error.code === 'unproven')
      throw new Rejection('lost', error.message, { cause: error });
    throw error;
  }
}

async function speakOver(
  socket: TLSSocket,
  options: Pick<DialOptions, 'certificate' | 'clock'>,
): Promise<Dialled> {
  const { clock } = options;
  const shown = digestOf(socket);
  if (shown === null || !isSame(shown, options.certificate)) {
    socket.destroy();
    throw new Rejection(
      'unproven',
      'What answers there shows another certificate than the gateway that this machine was paired with.',
    );
  }
  const webSocket = new WebSocket(`ws://gateway${nodePath}`, [nodeSubprotocol], {
    ...socketOptions,
    handshakeTimeout: connectMs,
    createConnection: () => socket,
  });
  const wire = wireOver(webSocket, { clock, events: () => talk });
  const talk = createTalk(wire, clock);
  await new Promise<void>((resolve, reject: (error: unknown) => void) => {
    webSocket.once('open', resolve);
    talk.gone.addEventListener('abort', () => reject(talk.gone.reason));
    if (talk.gone.aborted) reject(talk.gone.reason);
  });
  return { talk, wire, channel: channelOf(socket, shown) };
}

async function openTls(
  { clock, signal }: Pick<DialOptions, 'clock' | 'signal'>,
  to: NodeAddress | { readonly socket: Duplex },
): Promise<TLSSocket> {
  return new Promise((resolve, reject: (error: Rejection) => void) => {
    // The chain and its dates say nothing here: the certificate is compared with the kept one, byte by
    // byte, or by a person through the code, and the key behind it is proven by TLS.
    const socket = connect({ ...to, rejectUnauthorized: false, minVersion: tlsVersion });
    const settle = (): void => {
      cancel();
      signal.removeEventListener('abort', gaveUp);
      socket.off('error', failed);
    };
    const fail = (why: string): void => {
      settle();
      socket.on('error', () => undefined);
      socket.destroy();
      reject(new Rejection('lost', why));
    };
    const failed = (error: Error): void =>
      fail(`The gateway cannot be reached: ${messageOf(error)}`);
    const gaveUp = (): void => fail('The attempt was given up.');
    const cancel = clock.after(connectMs, () => fail('The gateway does not answer.'));
    signal.addEventListener('abort', gaveUp);
    socket.once('error', failed);
    socket.once('secureConnect', () => {
      settle();
      socket.on('error', () => undefined);
      resolve(socket);
    });
    if (signal.aborted) gaveUp();
  });
}

function digestOf(socket: TLSSocket): Uint8Array | null {
  const certificate = socket.getPeerX509Certificate();
  return certificate === undefined ? null : createHash('sha256').update(certificate.raw).digest();
}

function isSame(shown: Uint8Array, kept: string | null): boolean {
  if (kept === null) return true;
  const expected = Buffer.from(kept, 'hex');
  return expected.length === shown.length && timingSafeEqual(expected, shown);
}
