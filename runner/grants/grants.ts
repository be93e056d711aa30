import type { Grant, Grants } from './types.ts';

const mostGrants = 500;

/** Grants in memory, forgotten as the clock passes them; beyond the bound the oldest goes. */
export function createGrants(now: () => number): Grants {
  let grants: readonly Grant[] = [];
  const holding = (agent: string, session: string | null): readonly Grant[] => {
    grants = grants.filter((grant) => grant.expiresAt === null || grant.expiresAt > now());
    return grants.filter(
      (grant) => grant.agent === agent && (grant.session === null || grant.session === session),
    );
  };
  return {
    add: (grant) => {
      grants = [...grants, grant].slice(-mostGrants);
    },
    rules: (agent, session) =>
      holding(agent, session).flatMap(({ covers }) =>
        covers.kind === 'rules' ? covers.rules : [],
      ),
    covers: (agent, session, digest) =>
      holding(agent, session).some(
        ({ covers }) => covers.kind === 'command' && covers.digest === digest,
      ),
    endSession: (agent, session) => {
      const before = grants.length;
      grants = grants.filter((grant) => grant.agent !== agent || grant.session !== session);
      return before - grants.length;
    },
    agentsOf: (session) =>
      grants.filter((grant) => grant.session === session).map(({ agent }) => agent),
    clear: () => {
      grants = [];
    },
  };
}
