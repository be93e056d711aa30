import type { PeerCredentials } from '../peer.ts';

/** Why a connection is over, or why its peer's bytes cannot be read as lines. */
const closeCodes = [
  'closed-here',
  'closed-by-peer',
  'broken',
  'frame-too-long',
  'partial-frame',
  'invalid-utf8',
  'write-backlog',
  'read-backlog',
] as const;
export type CloseCode = (typeof closeCodes)[number];

export interface CloseReason {
  readonly code: CloseCode;
  /** One sentence. */
  readonly detail: string;
}

/**
 * A connection that carries lines both ways. All that the protocol knows of sockets.
 * Lines that arrive before a reader is there wait for it; so do the end and the close.
 */
export interface Duplex {
  /** Sends one line, given without its newline. After `end` or a close it does nothing. */
  send(line: string): void;
  /** Sets the one reader, or none: lines then wait. Lines come without their newline. */
  onLine(read: ((line: string) => void) | null): void;
  /** The peer will send nothing more but may still listen (half-close). Comes after its last line. */
  onEnd(ended: () => void): void;
  /** Called once, however the connection ended; at once when it is already over. */
  onClose(closed: (reason: CloseReason) => void): void;
  /** Sends what is still to be sent, then closes. */
  end(): void;
  /** Closes now; what was not sent is lost. */
  destroy(): void;
  /** Null when the kernel's word on the peer could not be had: then nobody may be trusted. */
  readonly peer: PeerCredentials | null;
}

/** How much may wait for a reader, in UTF-16 units. */
const maxWaiting = 4 * 1024 * 1024;

/** The receiving half of a duplex: keeps what came until somebody reads it, in order. */
export class Inbox {
  #read: ((line: string) => void) | null = null;
  readonly #waiting: string[] = [];
  readonly #ended: (() => void)[] = [];
  readonly #closed: ((reason: CloseReason) => void)[] = [];
  #waitingLength = 0;
  #endSeen = false;
  #endTold = false;
  #reason: CloseReason | null = null;
  #draining = false;

  get closed(): boolean {
    return this.#reason !== null;
  }

  get ended(): boolean {
    return this.#endSeen;
  }

  /** False when too much waits already; the line is then lost. */
  line(line: string): boolean {
    if (this.#reason !== null || this.#endSeen) return true;
    if (this.#waitingLength + line.length > maxWaiting) return false;
    this.#waiting.push(line);
    this.#waitingLength += line.length;
    this.#drain();
    return true;
  }

  end(): void {
    this.#endSeen = true;
    this.#drain();
  }

  /** Lines still waiting are dropped: nobody can answer them any more. */
  close(reason: CloseReason): void {
    if (this.#reason !== null) return;
    this.#reason = reason;
    this.#waiting.length = 0;
    for (const told of this.#closed.splice(0)) told(reason);
  }

  onLine(read: ((line: string) => void) | null): void {
    this.#read = read;
    this.#drain();
  }

  onEnd(ended: () => void): void {
    if (this.#endTold) ended();
    else this.#ended.push(ended);
  }

  onClose(closed: (reason: CloseReason) => void): void {
    if (this.#reason === null) this.#closed.push(closed);
    else closed(this.#reason);
  }

  /** A reader may replace itself, or close, in the middle of a line: look again after each. */
  #drain(): void {
    if (this.#draining) return;
    this.#draining = true;
    try {
      while (this.#read !== null && this.#reason === null) {
        const line = this.#waiting.shift();
        if (line === undefined) break;
        this.#waitingLength -= line.length;
        this.#read(line);
      }
    } finally {
      this.#draining = false;
    }
    if (!this.#endSeen || this.#endTold || this.#waiting.length > 0) return;
    this.#endTold = true;
    for (const told of this.#ended.splice(0)) told();
  }
}
