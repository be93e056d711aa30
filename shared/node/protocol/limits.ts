/** Bounds of the protocol, in milliseconds, bytes and frames. */
export interface Limits {
  /** How long a challenge may be answered. */
  readonly challengeTtlMs: number;
  /** How far a frame's timestamp may be from our clock, either way. */
  readonly maxSkewMs: number;
  /** A frame is sent at least this often. */
  readonly pingEveryMs: number;
  /** A peer that sends nothing for so long is taken for dead. */
  readonly silenceMs: number;
  /** Frames that a peer may send at once, and how many a second for ever. */
  readonly burst: number;
  readonly framesPerSecond: number;
  /** Longest line, newline excluded. */
  readonly maxFrameBytes: number;
  /** Asks that may be open at once. */
  readonly maxOpenAsks: number;
}

export const defaultLimits: Limits = {
  challengeTtlMs: 10_000,
  maxSkewMs: 10_000,
  pingEveryMs: 10_000,
  silenceMs: 35_000,
  burst: 1_000,
  framesPerSecond: 200,
  maxFrameBytes: 256 * 1024,
  maxOpenAsks: 250,
};

/**
 * How fast a runner may ask, so that it stays below what its peer allows: an ask may bring along a
 * withdrawal and two changes of state.
 */
export function askRate(limits: Limits): { readonly burst: number; readonly perSecond: number } {
  return { burst: limits.burst / 4, perSecond: limits.framesPerSecond / 4 };
}
