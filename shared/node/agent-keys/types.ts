/** An agent that has a key. Times are milliseconds since the epoch. */
export interface Principal {
  readonly name: string;
  readonly createdAt: number;
  /** When the present key was issued; null while it has none, as after a lockout. */
  readonly keyedAt: number | null;
}

/** `keys/agents.json`: which agents have keys. The keys themselves are in the secret store. */
export interface PrincipalFile {
  readonly version: 1;
  readonly agents: Readonly<Record<string, Omit<Principal, 'name'>>>;
}
