import type { Socket } from 'node:net';
import type { Clock } from '../../base/index.ts';
import { peerCredentials } from '../peer.ts';
import type { PeerCredentials } from '../peer.ts';
import type { CloseReason, Duplex } from './duplex.ts';
import { Inbox } from './duplex.ts';
import type { FaultCode } from './line-parser.ts';

/** How much may wait for a peer that does not read, in bytes, before it is given up. */
const maxBacklog = 4 * 1024 * 1024;
/** How long a peer has to end its side after we ended ours. */
const lingerMs = 5_000;

const faults: Readonly<Record<FaultCode, string>> = {
  'frame-too-long': 'The peer sent a longer line than is allowed.',
  'partial-frame': 'The peer began a line and did not finish it in time.',
  'invalid-utf8': 'The peer sent bytes that are not valid UTF-8.',
};

interface SocketDuplexOptions {
  readonly clock: Clock;
  /** Writes one line; node-ipc encodes it. */
  readonly write: (line: string) => void;
}

/** A duplex over one socket of node-ipc, which feeds it with `line`, `fault` and `inputEnded`. */
export class SocketDuplex implements Duplex {
  readonly peer: PeerCredentials | null;
  readonly #socket: Socket;
  readonly #options: SocketDuplexOptions;
  readonly #inbox = new Inbox();
  #ended = false;
  #stopLinger: () => void = () => {};

  constructor(socket: Socket, options: SocketDuplexOptions) {
    this.#socket = socket;
    this.#options = options;
    this.peer = peerCredentials(socket);
    socket.on('error', (error: NodeJS.ErrnoException) => {
      this.#close({ code: 'broken', detail: `The connection broke (${error.code ?? 'unknown'}).` });
    });
    socket.on('close', () => {
      this.#close({ code: 'closed-by-peer', detail: 'The peer closed the connection.' });
    });
  }

  line(line: string): void {
    if (this.#inbox.line(line)) return;
    this.#close({ code: 'read-backlog', detail: 'The peer sends more than is read.' });
    this.#socket.destroy();
  }

  fault(code: FaultCode): void {
    this.#close({ code, detail: faults[code] });
    this.#socket.destroy();
  }

  inputEnded(): void {
    this.#inbox.end();
  }

  send(line: string): void {
    if (this.#ended || this.#inbox.closed) return;
    if (this.#socket.writableLength > maxBacklog) {
      this.#close({ code: 'write-backlog', detail: 'The peer does not read what it is sent.' });
      this.#socket.destroy();
      return;
    }
    this.#options.write(line);
  }

  onLine(read: ((line: string) => void) | null): void {
    this.#inbox.onLine(read);
  }

  onEnd(ended: () => void): void {
    this.#inbox.onEnd(ended);
  }

  onClose(closed: (reason: CloseReason) => void): void {
    this.#inbox.onClose(closed);
  }

  end(): void {
    if (this.#ended || this.#inbox.closed) return;
    this.#ended = true;
    this.#socket.end();
    this.#stopLinger = this.#options.clock.after(lingerMs, () => {
      this.#socket.destroy();
    });
  }

  destroy(): void {
    this.#close({ code: 'closed-here', detail: 'This side closed the connection.' });
    this.#socket.destroy();
  }

  #close(reason: CloseReason): void {
    this.#stopLinger();
    this.#inbox.close(reason);
  }
}
