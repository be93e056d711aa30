import { hosts, recordOf } from '../agents/index.ts';
import { egressFor } from '../engine/index.ts';
import type { EgressConfig } from '../engine/index.ts';
import { readConfigFile, readToolPolicy, toolsIn } from '../home/index.ts';
import type { Home, SecretFacts } from '../home/index.ts';
import type { ListedSecret, SecretUse } from '../wire/index.ts';

/** The names of the secrets that settings of the network refer to, each with what for. */
export function secretsOfEgress({
  transforms,
  services,
  githubApp,
}: EgressConfig): readonly { readonly name: string; readonly use: SecretUse }[] {
  return [
    ...transforms.flatMap(({ host, set }) =>
      Object.values(set ?? {}).flatMap((value) =>
        typeof value === 'string'
          ? []
          : [{ name: value.secret, use: { kind: 'header' as const, of: host } }],
      ),
    ),
    ...services.map(({ name, secret }) => ({
      name: secret,
      use: { kind: 'service' as const, of: name },
    })),
    ...(githubApp === null
      ? []
      : [{ name: githubApp.secret, use: { kind: 'github-app' as const, of: 'GitHub' } }]),
  ];
}

/**
 * The named secrets of a home for a person to see: when they were kept and used, and what the
 * settings have them for. Never a value. Also names that are asked for and not there. Throws a
 * refusal where the list cannot be read.
 */
export async function listSecrets(
  home: Home,
): Promise<{ readonly sentence: string; readonly secrets: readonly ListedSecret[] }> {
  const kept = await home.openNamedSecrets();
  const facts = new Map(kept.list().map((one) => [one.name, one]));
  const uses = await usesIn(home, facts);
  // `wrap` starts agents with keys of these names where they are there; nobody misses one that is not.
  const usual = new Map(
    hosts.flatMap((host) => {
      const { modelKey } = recordOf(host);
      return modelKey === undefined ? [] : [[modelKey.secret, modelKey.program] as const];
    }),
  );
  const names = new Set([...facts.keys(), ...uses.map(({ name }) => name)]);
  const listed = [...names].toSorted().map((name) => {
    const wrapped = usual.get(name);
    const own = uses.filter((one) => one.name === name).map(({ use }) => use);
    const all = wrapped === undefined ? own : [...own, { kind: 'agent' as const, of: wrapped }];
    return { name, uses: distinct(all), ...timesOf(facts.get(name)) };
  });
  return { sentence: kept.sentence, secrets: listed };
}

/** What a tool also works without is missed by nobody where it is not kept. */
async function usesIn(
  home: Home,
  kept: ReadonlyMap<string, unknown>,
): Promise<readonly { name: string; use: SecretUse }[]> {
  const policies = await Promise.all(
    toolsIn(home.toolsDirectory).map(async (tool) =>
      readToolPolicy(home.toolsDirectory, tool, home.uid),
    ),
  );
  const tools = policies.flatMap((file) =>
    file.ok
      ? file.policy.credentials
          .filter(({ secret, optional }) => optional !== true || kept.has(secret))
          .map(({ secret }) => ({
            name: secret,
            use: { kind: 'tool' as const, of: file.policy.tool },
          }))
      : [],
  );
  const file = readConfigFile(home.config, { uid: home.uid });
  if (!file.ok) return tools;
  const { config } = file;
  const networks = Object.keys(config.agents).map((agent) => egressFor(config, agent));
  return [...tools, ...[config.egress, ...networks].flatMap(secretsOfEgress)];
}

const distinct = (uses: readonly SecretUse[]): readonly SecretUse[] => [
  ...new Map(uses.map((use) => [`${use.kind} ${use.of}`, use])).values(),
];

function timesOf(
  facts: SecretFacts | undefined,
): Pick<ListedSecret, 'keptAt' | 'lastUsedAt' | 'lastUsedBy'> {
  return {
    keptAt: facts?.changedAt ?? null,
    lastUsedAt: facts?.lastUsedAt ?? null,
    lastUsedBy: facts?.lastUsedBy ?? null,
  };
}
