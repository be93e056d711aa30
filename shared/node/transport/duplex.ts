import type { PeerCredentials } from '../peer/types.ts';

/** Why a connection is over, or why its peer's bytes cannot be read as lines. */
export const closeCodes = [
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
