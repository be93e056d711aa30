import type { Socket } from 'node:net';

/** Bytes that may wait at a socket before its source is held up. */
const most = 256 * 1024;

/**
 * Writes to a socket. Pieces that come in one turn leave together: encryption hands bytes out in
 * small ones, and each write of its own costs a call of the system.
 */
export class Outlet {
  readonly #socket: Socket;
  #isCorked = false;
  readonly #uncork = (): void => this.flush();

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Text is latin1, as heads are. */
  write(bytes: Uint8Array | string): void {
    const socket = this.#socket;
    if (!socket.writable) return;
    if (!this.#isCorked) {
      this.#isCorked = true;
      socket.cork();
      setImmediate(this.#uncork);
    }
    socket.write(bytes, 'latin1');
  }

  /** All at once, where it is known that nothing follows. */
  writeLast(bytes: Uint8Array | string): void {
    const socket = this.#socket;
    if (!socket.writable) return;
    socket.write(bytes, 'latin1');
    this.flush();
  }

  /** Sends what waits for its turn. */
  flush(): void {
    if (!this.#isCorked) return;
    this.#isCorked = false;
    this.#socket.uncork();
  }

  /** Whether its source is to wait until it has drained. */
  isFull(): boolean {
    return this.#socket.writableLength > most;
  }
}
