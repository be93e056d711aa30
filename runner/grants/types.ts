import type { GrantDuration } from '../../shared/ask/types.ts';
import type { Rule } from '../../shared/policy/types.ts';

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
