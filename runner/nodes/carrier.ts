import type { TLSSocket } from 'node:tls';
import type { WebSocket } from 'ws';
import type { Clock } from '../../shared/base/index.ts';
import type { Channel } from './handshake.ts';
import { maxFrameBytes } from './link.ts';
import type { TextWire, WireEvents } from './link.ts';

/** The embedded carrier: one WebSocket over TLS 1.3, texts alone. What both ends of it do alike. */

export const nodePath = '/interlock/node';
export const nodeSubprotocol = 'interlock.node.1';
export const tlsVersion = 'TLSv1.3';

/** Nothing is compressed: lengths would tell of contents, and a small frame could become a large one. */
export const socketOptions = { maxPayload: maxFrameBytes, perMessageDeflate: false } as const;

const closedCode = 4_000;
/** A close frame holds no longer reason. */
const longestReason = 120;
/** An end that does not close by then is cut off. */
const closeWithinMs = 2_000;

/** The connection as both ends sign it. */
export function channelOf(socket: TLSSocket, certificate: Uint8Array): Channel {
  const label = 'EXPORTER-interlock-node';
  return { certificate, binding: socket.exportKeyingMaterial(32, label, Buffer.alloc(0)) };
}

/** The texts of a WebSocket as a carrier; `events` hears them from now on. */
export function wireOver(
  socket: WebSocket,
  { clock, events }: { readonly clock: Clock; readonly events: () => WireEvents },
): TextWire {
  let why: string | null = null;
  socket.on('message', (data, isBinary) => {
    if (!isBinary) events().text((data as Buffer).toString('utf8'));
    else {
      const detail = 'The other machine sent what is not text.';
      events().over({ code: 'bad-frame', detail });
      socket.terminate();
    }
  });
  socket.on('error', (error) => {
    why = `The connection broke: ${error.message}`;
    socket.terminate();
  });
  socket.on('close', (code, reason) => {
    const said = reason.toString('utf8');
    if (code === closedCode && said !== '') events().over({ code: 'closed-by-peer', detail: said });
    else events().over({ code: 'lost', detail: why ?? 'The connection ended.' });
  });
  return {
    send: (text, left = () => undefined) => {
      if (socket.readyState === socket.OPEN) socket.send(text, () => left());
    },
    backlog: () => socket.bufferedAmount,
    close: (reason) => {
      socket.close(closedCode, cut(reason));
      const cancel = clock.after(closeWithinMs, () => socket.terminate());
      socket.once('close', cancel);
    },
  };
}

/** At most so many bytes of a text, whole characters. */
function cut(text: string): string {
  let short = text.slice(0, longestReason);
  while (Buffer.byteLength(short) > longestReason) short = Array.from(short).slice(0, -1).join('');
  return short;
}
