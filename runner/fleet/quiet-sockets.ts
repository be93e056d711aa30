import type { Socket } from 'node:net';
import { Parser } from '@nats-io/transport-node/lib/nats-base-client.js';
import { NodeTransport } from '@nats-io/transport-node/lib/node_transport.js';

/**
 * The client takes all listeners off its socket between the steps of a connection, and at its end. What
 * fails just then (a write after the server's end, a reset) would be an error that nobody hears, and
 * end this process with all that it guards. The end of the socket tells the client all the same.
 */
const unheard = (): void => undefined;

function guarded(socket: Socket): Socket {
  if (socket.listeners('error').includes(unheard)) return socket;
  socket.on('error', unheard);
  const removeAll = socket.removeAllListeners.bind(socket);
  socket.removeAllListeners = (event) => {
    // Named or not: an argument that is there counts, though it is undefined.
    if (event === undefined) removeAll();
    else removeAll(event);
    return socket.on('error', unheard);
  };
  return socket;
}

/** How the client comes by a socket. */
const ways = ['dial', 'startTLS', 'tlsFirst'] as const;
type Way = (this: unknown, ...to: readonly unknown[]) => Promise<Socket>;

/** A parser as the client makes one for each connection. */
interface Reading {
  readonly dispatcher: { readonly transport?: { close(error: Error): Promise<void> } };
}

type Read = (this: Reading, data: Uint8Array) => void;

/**
 * What is not a word of the protocol ends the connection. The client would write it to the console as it
 * came, with all that acts on a terminal, and wait on.
 */
function endAtNonsense(): void {
  const parser = Parser.prototype as unknown as { parse: Read };
  const parse = parser.parse;
  parser.parse = function read(data) {
    try {
      parse.call(this, data);
    } catch (error) {
      const { transport } = this.dispatcher;
      const why = new Error('The server said what is not the protocol of NATS.', { cause: error });
      transport?.close(why).catch(unheard);
    }
  };
}

/** Has every socket of the client outlive its errors, and none write to the console. To be called once. */
export function quietSockets(): void {
  endAtNonsense();
  const transport = NodeTransport.prototype as unknown as Record<(typeof ways)[number], Way>;
  for (const name of ways) {
    const way = transport[name];
    transport[name] = async function open(...to) {
      return guarded(await way.apply(this, [...to]));
    };
  }
}
