import { readSignature } from '../../shared/node/signed-request/read.ts';
import { authenticateSigned } from './authenticate.ts';
import type { NonceWindow } from './nonce-window.ts';
import type { Principals } from './types.ts';

/** A call as an ingress received it: headers in lower case, path with query, body as parsed. */
export interface ReceivedCall {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

/** What keys say about who calls. */
export interface Callers {
  /** The agent that signed the call; null when it is not signed. Refuses every doubtful signature. */
  signer(call: ReceivedCall): Promise<string | null>;
  /** Throws `config-invalid` while the list of agents is doubtful. */
  keyState(agent: string): 'none' | 'keyed' | 'revoked';
}

export interface CallersOptions {
  readonly principals: Pick<Principals, 'key' | 'list'>;
  /** Opened at the first signed call, and again after it failed: without it none is accepted. */
  readonly openNonces: () => NonceWindow;
  readonly now: () => number;
}

/** Callers over the keys as they are at each call, so that a change holds at once. */
export function createCallers(options: CallersOptions): Callers & { readonly close: () => void } {
  const { principals, openNonces, now } = options;
  let nonces: NonceWindow | null = null;
  return {
    signer: async ({ headers, method, path, body }) => {
      const signature = readSignature(headers);
      if (signature === null) return null;
      nonces ??= openNonces();
      return authenticateSigned({ signature, method, path, body }, { principals, nonces, now });
    },
    keyState: (agent) => {
      const known = principals.list().find(({ name }) => name === agent);
      if (known === undefined) return 'none';
      return known.keyedAt === null ? 'revoked' : 'keyed';
    },
    close: () => {
      nonces?.close();
      nonces = null;
    },
  };
}
