/** Where keys rest. A keychain asks the system; a file is 0600 below the home and says so. */
export type SecretStoreKind = 'keychain' | 'file';

/** Keeps small secrets by name. Names are `[a-z0-9-]{1,64}`, values at most 1,024 bytes. */
export interface SecretStore {
  readonly kind: SecretStoreKind;
  /** The secret, or null when there is none. Throws a refusal when the store cannot be asked. */
  get(name: string): Promise<Uint8Array | null>;
  /** Durable when it settles. */
  set(name: string, value: Uint8Array): Promise<void>;
  /** True when there was one. */
  remove(name: string): Promise<boolean>;
}

/** The part of keytar that we use; its own types say the same. */
export interface Keychain {
  getPassword(service: string, account: string): Promise<string | null>;
  setPassword(service: string, account: string, password: string): Promise<void>;
  deletePassword(service: string, account: string): Promise<boolean>;
}
