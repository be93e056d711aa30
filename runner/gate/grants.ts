import type { GrantDuration, Rule } from '../../shared/engine/index.ts';

/** A "yes" that lasts a while and is never written to the policy file. */
export interface Grant {
  readonly agent: string;
  /** Null where it holds for every session of the agent. */
  readonly session: string | null;
  /** Null where it holds until the runner restarts. */
  readonly expiresAt: number | null;
  readonly covers:
    | { readonly kind: 'rules'; readonly rules: readonly Rule[] }
    /** This very command: digest of its binding. */
    | { readonly kind: 'command'; readonly digest: string };
}

/** How long an answer lasts when it is neither for once nor for ever. */
export type PassingDuration = Exclude<GrantDuration, 'once' | 'always'>;

/** The grants that hold now. In memory only: a restart forgets them all. */
export interface Grants {
  add(grant: Grant): void;
  /** Rules to be taken into account beside the policy's own. */
  rules(agent: string, session: string | null): readonly Rule[];
  /** Whether this very command was granted. */
  covers(agent: string, session: string | null, digest: string): boolean;
  /** The session is over, and so is what was granted for it; answers how many grants that were. */
  endSession(agent: string, session: string): number;
  /** The agents to which something was granted for a session of this name. */
  agentsOf(session: string): readonly string[];
  clear(): void;
}

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
