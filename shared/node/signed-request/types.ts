/** What is signed: one call of the runner's API by one agent. */
export interface SignedCall {
  readonly agent: string;
  readonly method: string;
  /** Path and query, as sent. */
  readonly path: string;
  /** The parsed JSON body; null where there is none. */
  readonly body: unknown;
  /** Milliseconds since the epoch. */
  readonly ts: number;
  /** 32 random bytes, base64url. */
  readonly nonce: string;
}

/** The headers that carry a signature. Lower case, as Node hands them out. */
export const signatureHeaders = {
  agent: 'x-interlock-agent',
  ts: 'x-interlock-ts',
  nonce: 'x-interlock-nonce',
  mac: 'x-interlock-mac',
} as const;

/** Signature as read from headers, shape-checked. */
export interface Signature {
  readonly agent: string;
  readonly ts: number;
  readonly nonce: string;
  readonly mac: string;
}
