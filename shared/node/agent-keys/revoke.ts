import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { SecretStore } from '../secrets/types.ts';
import { readPrincipalFile, writePrincipalFile } from './principal-file.ts';

export interface AgentKeysOptions {
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
