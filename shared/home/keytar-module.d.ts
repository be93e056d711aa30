/**
 * The part of keytar 7.9.0 that `keytar.ts` uses. The package has types of its own, but it is
 * optional, and the compiler must not need it. Where it is installed, this declaration is the one
 * that counts.
 */
declare module 'keytar' {
  /** What the CommonJS module exports as a whole. */
  const keytar: {
    getPassword(service: string, account: string): Promise<string | null>;
    setPassword(service: string, account: string, password: string): Promise<void>;
    deletePassword(service: string, account: string): Promise<boolean>;
  };
  export default keytar;
}
