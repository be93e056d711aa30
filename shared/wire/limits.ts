/** Largest body of `POST /v1/exec`, in bytes: 10 MiB of standard input in base64, and the rest. */
export const maxExecBodyBytes = 16 * 1024 * 1024;
/** Largest body of `POST /v1/hooks/:host`, in bytes: a host may send a whole file, and the old one. */
export const maxHookBytes = 8 * 1024 * 1024;
/** Largest body of every other call, in bytes. */
export const maxBodyBytes = 1024 * 1024;
/** Decoded standard input, in bytes. */
export const maxStdinBytes = 10 * 1024 * 1024;
/** Longest shell text, and longest single word of an argv, in UTF-16 units. */
export const maxCommandLength = 256 * 1024;
/** Most words of an argv, and most variables of an environment. */
export const maxArgvLength = 4096;
export const maxVariables = 256;
/** Standard output and error together, in a result that is not streamed, in UTF-16 units. */
export const maxResultLength = 200_000;
/** Stands where text was cut. */
export const truncationMark = '… (truncated)';
/** Milliseconds that the `ts` of an answer may differ from the runner's clock. */
export const answerWindowMs = 10_000;
/** Most entries of one page of the history. */
export const maxHistoryPage = 500;

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
