import type { Principal } from '../../shared/node/agent-keys/types.ts';

export type { Principal, PrincipalFile } from '../../shared/node/agent-keys/types.ts';

export interface Principals {
  list(): readonly Principal[];
  /** Makes an agent and its key. Refuses a name that is taken or not `[a-z0-9-]`. */
  add(name: string): Promise<IssuedKey>;
  /** Issues a new key; the old one is worthless at once. */
  rekey(name: string): Promise<IssuedKey>;
  remove(name: string): Promise<void>;
  /** Takes every key away and answers how many there were; agents stay, without a key. */
  revokeAll(): Promise<number>;
  /** The key of an agent, or null when it has none. */
  key(name: string): Promise<Uint8Array | null>;
}

/** A key that was just issued, and the 0600 file in which the agent finds it. */
export interface IssuedKey {
  readonly name: string;
  readonly keyFile: string;
}
