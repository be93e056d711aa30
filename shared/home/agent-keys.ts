import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { compile, readJson, refuse, s } from '../base/index.ts';
import type { Static } from '../base/index.ts';
import { ensurePrivateDirectory, readPrivateFile, writeFileAtomic } from './files.ts';
import type { SecretStore } from './secrets.ts';

const principal = s.object({
  /** Milliseconds since the epoch. */
  createdAt: s.number(),
  /** When the present key was issued; null while it has none, as after a lockout. */
  keyedAt: s.nullable(s.number()),
});

/** An agent that has a key. */
export type Principal = { readonly name: string } & Static<typeof principal>;

/** `keys/agents.json`: which agents have keys. The keys themselves are in the secret store. */
const principalFile = s.object({
  version: s.literal(1),
  agents: s.record(principal, {
    names: s.string({ pattern: '^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$' }),
  }),
});
export type PrincipalFile = Static<typeof principalFile>;

const maxBytes = 256 * 1024;

const check = compile(principalFile);

/** Reads `keys/agents.json`; an absent file has no agents, a doubtful one is `config-invalid`. */
export function readPrincipalFile(path: string, uid: number): PrincipalFile {
  const file = readPrivateFile(path, { uid, maxBytes });
  if (file.kind === 'missing') return { version: 1, agents: {} };
  if (file.kind === 'unsafe') return unreadable(path, file.why);
  const checked = readJson(check, file.text);
  return checked.ok ? checked.value : unreadable(path, `is not valid: ${checked.error}`);
}

/** Replaces the file whole and durably. */
export function writePrincipalFile(path: string, file: PrincipalFile): void {
  writeFileAtomic(path, `${JSON.stringify(file, null, 2)}\n`);
}

function unreadable(path: string, why: string): never {
  throw refuse(
    'config-invalid',
    `${path} ${why}.`,
    'Mend it or restore it from a backup; until then no agent is known by its key.',
  );
}

interface AgentKeysOptions {
  /** `keys` below the home. */
  readonly directory: string;
  readonly secrets: Pick<SecretStore, 'remove'>;
  readonly uid: number;
}

/** Takes every agent's key away and answers how many there were; agents stay, without a key. */
export async function revokeAgentKeys(options: AgentKeysOptions): Promise<number> {
  const index = agentIndex(options.directory);
  const { agents } = readPrincipalFile(index, options.uid);
  const names = Object.keys(agents);
  if (names.length === 0) return 0;
  const revoked = await Promise.all(names.map(async (name) => revokeAgentKey(name, options)));
  const keyless = Object.entries(agents).map(
    ([name, { createdAt }]) => [name, { createdAt, keyedAt: null }] as const,
  );
  writePrincipalFile(index, { version: 1, agents: Object.fromEntries(keyless) });
  return revoked.filter(Boolean).length;
}

/** Removes both copies of one key; true when the runner had one. */
export async function revokeAgentKey(
  name: string,
  { directory, secrets }: Pick<AgentKeysOptions, 'directory' | 'secrets'>,
): Promise<boolean> {
  rmSync(agentKeyFile(directory, name), { force: true });
  return secrets.remove(agentSecretName(name));
}

interface IssuingOptions {
  /** `keys` below the home. */
  readonly directory: string;
  readonly secrets: Pick<SecretStore, 'set'>;
  readonly uid: number;
  readonly now: () => number;
  readonly random: (bytes: number) => Uint8Array;
}

const keyBytes = 32;

/**
 * Gives an agent a new key, in both copies, and returns the file in which the agent finds its own.
 * The secret store is written first, so that a crash in between leaves a file that does not work,
 * never a key that nobody knows of.
 */
export async function issueAgentKey(
  { name, createdAt }: Pick<Principal, 'name' | 'createdAt'>,
  { directory, secrets, uid, now, random }: IssuingOptions,
): Promise<string> {
  ensurePrivateDirectory(directory, { uid });
  ensurePrivateDirectory(join(directory, 'agents'), { uid });
  const key = random(keyBytes);
  await secrets.set(agentSecretName(name), key);
  const keyFile = agentKeyFile(directory, name);
  writeFileAtomic(keyFile, `${Buffer.from(key).toString('base64url')}\n`);
  const index = agentIndex(directory);
  const { agents } = readPrincipalFile(index, uid);
  const keyed = { ...agents, [name]: { createdAt, keyedAt: now() } };
  writePrincipalFile(index, { version: 1, agents: keyed });
  return keyFile;
}

/** Gives a new key to every agent whose key was taken away, and returns their names. */
export async function restoreAgentKeys(options: IssuingOptions): Promise<readonly string[]> {
  const { agents } = readPrincipalFile(agentIndex(options.directory), options.uid);
  const keyless = Object.entries(agents).filter(([, { keyedAt }]) => keyedAt === null);
  // One after the other: each writes the list of all.
  for (const [name, { createdAt }] of keyless) await issueAgentKey({ name, createdAt }, options);
  return keyless.map(([name]) => name);
}

/** `keys/agents.json`, where `directory` is `keys`. */
export function agentIndex(directory: string): string {
  return join(directory, 'agents.json');
}

/** The file in which the agent finds its key. */
export function agentKeyFile(directory: string, name: string): string {
  return join(directory, 'agents', `${name}.key`);
}

/** The name of the runner's copy in the secret store. */
export function agentSecretName(name: string): string {
  return `agent-${name}`;
}
