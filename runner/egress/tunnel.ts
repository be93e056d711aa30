import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Permission } from './permit.ts';

const established = 'HTTP/1.1 200 Connection established\r\n\r\n';

/** Says to a client that its tunnel stands. */
export function sayEstablished(client: Duplex): void {
  client.write(established);
}

/**
 * Carries bytes between a client and its upstream until both have ended, or the way is taken back.
 * What the client has sent ahead goes first.
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
  join(upstream, client, closed);
}

const mostEarly = 64 * 1024;

/**
 * Listens to a client that waits for its tunnel: what it sends ahead is kept, and when it goes away
 * `gone` is called. The answer gives back what was kept, and listens no more.
 */
export function listenAhead(client: Socket, head: Buffer, gone: () => void): () => Buffer {
  const kept = [head];
  let length = head.length;
  const keep = (chunk: Buffer): void => {
    kept.push(chunk);
    length += chunk.length;
    if (length >= mostEarly) client.pause();
  };
  client.on('data', keep);
  client.once('end', gone);
  client.resume();
  return () => {
    client.pause();
    client.off('data', keep);
    client.off('end', gone);
    return Buffer.concat(kept);
  };
}

/** All that one end sends goes to the other, no faster than it takes it; an end of one is passed on. */
export function join(from: Socket, to: Socket, closed: () => void): void {
  from.on('data', (chunk: Buffer) => {
    if (!to.write(chunk)) from.pause();
  });
  to.on('drain', () => from.resume());
  from.on('end', () => to.end());
  from.on('error', () => to.destroy());
  from.once('close', () => {
    // An end that was passed on may still be on its way; what broke off is passed on as that.
    if (from.readableEnded) to.destroySoon();
    else to.destroy();
    closed();
  });
  from.resume();
}
