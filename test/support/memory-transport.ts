import type { PeerCredentials } from '../../shared/ipc/peer.ts';
import type { Duplex } from '../../shared/ipc/transport/duplex.ts';
import { Inbox } from '../../shared/ipc/transport/duplex.ts';

/** One end of an in-memory connection, with a hand on the wire that leads away from it. */
export interface MemoryDuplex extends Duplex {
  /** From now on lines sent from this end stay on the wire. */
  hold(): void;
  /** Lets lines through: all that wait and all to come, or just the first `count` that wait. */
  release(count?: number): void;
  /** Takes the waiting lines off the wire: lost, unless they are injected again. */
  take(): string[];
  /** Puts a line on the wire as though this end had sent it. */
  inject(line: string): void;
  /** The peer's side sees its connection break, as when this end's process dies. */
  crash(): void;
}

export interface MemoryPairOptions {
  /** What each end is told about the other; default: user 1000, no pid. */
  readonly peer?: PeerCredentials | null;
}

/** Two connected ends. A line arrives in a later microtask, never inside the call that sends it. */
export function memoryPair(options: MemoryPairOptions = {}): [MemoryDuplex, MemoryDuplex] {
  const peer = options.peer === undefined ? { uid: 1000, pid: null } : options.peer;
  const left = new MemoryEnd(peer);
  const right = new MemoryEnd(peer);
  left.other = right;
  right.other = left;
  return [left, right];
}

class MemoryEnd implements MemoryDuplex {
  readonly peer: PeerCredentials | null;
  other: MemoryEnd | null = null;
  readonly #inbox = new Inbox();
  #wire: string[] = [];
  #held = false;
  #finished = false;

  constructor(peer: PeerCredentials | null) {
    this.peer = peer;
  }

  send(line: string): void {
    if (this.#finished || this.#inbox.closed) return;
    if (this.#held) this.#wire.push(line);
    else this.inject(line);
  }

  inject(line: string): void {
    queueMicrotask(() => this.other?.receive(line));
  }

  hold(): void {
    this.#held = true;
  }

  release(count?: number): void {
    for (const line of this.#wire.splice(0, count ?? this.#wire.length)) this.inject(line);
    if (count === undefined) this.#held = false;
  }

  take(): string[] {
    return this.#wire.splice(0);
  }

  onLine(read: ((line: string) => void) | null): void {
    this.#inbox.onLine(read);
  }

  onEnd(ended: () => void): void {
    this.#inbox.onEnd(ended);
  }

  onClose(closed: Parameters<Duplex['onClose']>[0]): void {
    this.#inbox.onClose(closed);
  }

  end(): void {
    if (this.#finished) return;
    this.#finished = true;
    queueMicrotask(() => {
      this.other?.peerEnded();
      if (this.#inbox.ended) this.#closeBoth();
    });
  }

  destroy(): void {
    this.#finished = true;
    this.#inbox.close({ code: 'closed-here', detail: 'This side closed the connection.' });
    queueMicrotask(() => this.other?.crashed());
  }

  crash(): void {
    this.#finished = true;
    this.#inbox.close({ code: 'broken', detail: 'This side broke.' });
    queueMicrotask(() => this.other?.crashed());
  }

  receive(line: string): void {
    this.#inbox.line(line);
  }

  peerEnded(): void {
    this.#inbox.end();
  }

  crashed(): void {
    this.#finished = true;
    this.#inbox.close({ code: 'closed-by-peer', detail: 'The peer closed the connection.' });
  }

  #closeBoth(): void {
    this.#inbox.close({ code: 'closed-here', detail: 'Both sides ended the connection.' });
    this.other?.crashed();
  }
}
