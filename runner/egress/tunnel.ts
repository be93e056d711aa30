import type { OnReadOpts, Socket } from 'node:net';
import { Outlet } from './outlet.ts';
import type { Permission } from './permit.ts';
import type { Reflections } from './reflect.ts';

const established = 'HTTP/1.1 200 Connection established\r\n\r\n';

/** Says to a client that its tunnel stands. */
export function sayEstablished(client: Socket): void {
  client.write(established);
}

/**
 * Carries bytes between a client and its upstream until both have ended, or the way is taken back.
 * What the client has sent ahead goes first. The upstream was told to read into the client.
 */
export function carry(client: Socket, upstream: Socket, head: Buffer, way: Permission): void {
  const startSent = upstream.bytesWritten;
  const startReceived = upstream.bytesRead;
  if (head.length > 0) upstream.write(head);
  const close = (): void => {
    client.destroy();
    upstream.destroy();
  };
  let open = 2;
  const closed = (): void => {
    open -= 1;
    if (open > 0) return;
    way.end(upstream.bytesWritten - startSent, upstream.bytesRead - startReceived);
  };
  way.onRevoked(close);
  join(client, upstream, closed);
  client.on('drain', () => upstream.resume());
  passEnd(upstream, client, closed);
  upstream.resume();
}

/** Bytes that may wait at one end before the other is held up. */
const most = 256 * 1024;

const mostRead = 64 * 1024;

/**
 * Reads what an upstream sends into one buffer, and from there into the client: bytes of a tunnel take
 * no memory of their own, which would have to be collected. It is another buffer only where the system
 * has not taken all of one yet.
 */
export function readingInto(client: Socket): OnReadOpts {
  let buffer = Buffer.allocUnsafeSlow(mostRead);
  let isTaken = false;
  return {
    buffer: () => {
      if (isTaken) buffer = Buffer.allocUnsafeSlow(mostRead);
      isTaken = false;
      return buffer;
    },
    callback: (length, bytes) => {
      client.write(bytes.subarray(0, length));
      isTaken = client.writableLength > 0;
      return client.writableLength <= most;
    },
  };
}

/** All that one end sends goes to the other, no faster than it takes it; an end of one is passed on. */
export function join(from: Socket, to: Socket, closed: () => void): void {
  from.on('data', (chunk: Buffer) => {
    // Mostly the system has taken all of it by now, whatever the answer of the stream is.
    to.write(chunk);
    if (to.writableLength > most) from.pause();
  });
  to.on('drain', () => from.resume());
  passEnd(from, to, closed);
  from.resume();
}

/** The same, with stars for what must not be told: they are as long, so that frames stay whole. */
export function joinMasked(
  from: Socket,
  first: Buffer,
  to: Socket,
  reflections: Reflections,
): void {
  const outlet = new Outlet(to);
  const mask = reflections.body((late) => outlet.writeLast(late));
  const take = (chunk: Buffer): void => {
    const ready = mask.push(chunk);
    if (ready.length > 0) outlet.write(ready);
    if (outlet.isFull()) from.pause();
  };
  if (first.length > 0) take(first);
  from.on('data', take);
  to.on('drain', () => from.resume());
  from.once('end', () => outlet.writeLast(mask.end()));
  to.once('close', mask.cancel);
  passEnd(from, to, () => mask.cancel());
  from.resume();
}

function passEnd(from: Socket, to: Socket, closed: () => void): void {
  from.on('end', () => to.end());
  from.on('error', () => to.destroy());
  from.once('close', () => {
    // An end that was passed on may still be on its way; what broke off is passed on as that.
    if (from.readableEnded) to.destroySoon();
    else to.destroy();
    closed();
  });
}
