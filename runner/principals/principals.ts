import {
  agentIndex,
  agentSecretName as secretName,
  issueAgentKey,
  readPrincipalFile,
  restoreAgentKeys,
  revokeAgentKey,
  revokeAgentKeys,
  writePrincipalFile,
} from '../../shared/home/index.ts';
import type { SecretStore } from '../../shared/home/index.ts';
import { refuse } from '../../shared/base/index.ts';
import type { IssuedKey, PrincipalFile, Principals } from './callers.ts';

interface PrincipalsOptions {
  /** `keys` below the home. */
  readonly directory: string;
  readonly secrets: SecretStore;
  readonly uid: number;
  readonly now: () => number;
  readonly random: (bytes: number) => Uint8Array;
}

const nameShape = /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/;

/**
 * Agents with keys. The runner's copy of a key is in the secret store, the agent's in a 0600 file
 * below `keys/agents/`.
 */
export function createPrincipals(options: PrincipalsOptions): Principals {
  const { directory, secrets, uid, now } = options;
  const index = agentIndex(directory);
  const read = (): PrincipalFile => readPrincipalFile(index, uid);
  const save = (agents: PrincipalFile['agents']): void =>
    writePrincipalFile(index, { version: 1, agents });

  const issue = async (name: string, createdAt: number): Promise<IssuedKey> => ({
    name,
    keyFile: await issueAgentKey({ name, createdAt }, options),
  });

  const clear = async (name: string): Promise<void> => {
    await revokeAgentKey(name, { directory, secrets });
    const { agents } = read();
    if (Object.hasOwn(agents, name))
      save(Object.fromEntries(Object.entries(agents).filter(([other]) => other !== name)));
  };

  return {
    list: () => Object.entries(read().agents).map(([name, rest]) => ({ name, ...rest })),
    add: async (name) => {
      if (!nameShape.test(name)) throw badName(name);
      if (Object.hasOwn(read().agents, name)) throw taken(name);
      return issue(name, now());
    },
    rekey: async (name) => issue(name, known(read(), name).createdAt),
    remove: async (name) => {
      known(read(), name);
      await clear(name);
    },
    clear,
    restoreAll: async () => restoreAgentKeys(options),
    revokeAll: async () => revokeAgentKeys({ directory, secrets, uid }),
    key: async (name) =>
      nameShape.test(name) && Object.hasOwn(read().agents, name)
        ? secrets.get(secretName(name))
        : null,
  };
}

function known(file: PrincipalFile, name: string): PrincipalFile['agents'][string] {
  const principal = Object.hasOwn(file.agents, name) ? file.agents[name] : undefined;
  if (principal !== undefined) return principal;
  throw refuse(
    'invalid-request',
    `There is no agent "${name}" with a key.`,
    `See "interlock agents list", or make it: interlock agents add ${nameShape.test(name) ? name : 'NAME'}`,
  );
}

function badName(name: string): Error {
  return refuse(
    'invalid-request',
    `"${name.slice(0, 60)}" cannot be an agent's name.`,
    'Use 1 to 40 of a-z, 0-9 and hyphens, with no hyphen at either end.',
  );
}

function taken(name: string): Error {
  return refuse(
    'invalid-request',
    `The agent "${name}" has a key already.`,
    `To give it a new one: interlock agents rekey ${name}`,
  );
}
