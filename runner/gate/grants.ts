import type { Rule } from '../../shared/engine/index.ts';
import type { KeptGrants } from './kept-grants.ts';

/** A "yes" that lasts a while and is never written to the policy file. */
export interface Grant {
  readonly agent: string;
  /** Null where it holds for every session of the agent. */
  readonly session: string | null;
  /** When the person said yes; milliseconds since the epoch, like the end. */
  readonly grantedAt: number;
  /** Null where it holds until the runner restarts. */
  readonly expiresAt: number | null;
  readonly covers:
    | { readonly kind: 'rules'; readonly rules: readonly Rule[] }
    /** This very command: digest of its binding. */
    | {
        readonly kind: 'command';
        readonly digest: string;
        /** The command; it is for telling, is in no file, and is lost with the runner. */
        readonly command?: string;
      };
}

/** A grant that holds, by a name that is its own until the runner ends. */
export interface NamedGrant {
  readonly id: string;
  readonly grant: Grant;
}

/** The grants that hold now. A restart forgets those that do not end by the clock. */
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
  /** All that hold now, the newest first. */
  list(): readonly NamedGrant[];
  /** A person takes one back; false where there is none of that name any more. */
  end(id: string): boolean;
  clear(): void;
  /** Something was granted. */
  onAdd(listener: () => void): void;
}

const mostGrants = 500;

interface GrantsOptions {
  /** A clock that is never set back; `now` when absent. */
  readonly elapsed?: () => number;
  /** Where those that end by the clock outlive a restart. */
  readonly kept?: KeptGrants;
}

/** A grant, and its end on the clock that is never set back. */
interface Timed {
  readonly id: string;
  readonly grant: Grant;
  readonly until: number;
}

/** Grants, forgotten as either clock passes them; beyond the bound the oldest goes. */
export function createGrants(
  now: () => number,
  { elapsed = now, kept }: GrantsOptions = {},
): Grants {
  let counted = 0;
  const timed = (grant: Grant): Timed => ({
    // With the moment of the yes: what a page has from an earlier runner names no other one.
    id: `${String(grant.grantedAt)}-${String((counted += 1))}`,
    grant,
    until: grant.expiresAt === null ? Infinity : elapsed() + grant.expiresAt - now(),
  });
  let timedGrants: readonly Timed[] = (kept?.load() ?? []).map(timed);
  const listeners: (() => void)[] = [];
  const save = (): void => kept?.save(timedGrants.map(({ grant }) => grant));
  const present = (): readonly Timed[] => {
    timedGrants = timedGrants.filter(
      ({ grant: { expiresAt }, until }) =>
        (expiresAt === null || expiresAt > now()) && until > elapsed(),
    );
    return timedGrants;
  };
  const holding = (agent: string, session: string | null): readonly Grant[] =>
    present()
      .map(({ grant }) => grant)
      .filter(
        (grant) => grant.agent === agent && (grant.session === null || grant.session === session),
      );
  return {
    add: (grant) => {
      timedGrants = [...timedGrants, timed(grant)].slice(-mostGrants);
      save();
      for (const listener of listeners) listener();
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
      const before = timedGrants.length;
      timedGrants = timedGrants.filter(
        ({ grant }) => grant.agent !== agent || grant.session !== session,
      );
      return before - timedGrants.length;
    },
    agentsOf: (session) =>
      timedGrants.filter(({ grant }) => grant.session === session).map(({ grant }) => grant.agent),
    list: () =>
      present()
        .map(({ id, grant }) => ({ id, grant }))
        .toReversed(),
    end: (id) => {
      const left = present().filter((one) => one.id !== id);
      if (left.length === timedGrants.length) return false;
      timedGrants = left;
      save();
      return true;
    },
    clear: () => {
      timedGrants = [];
      save();
    },
    onAdd: (listener) => void listeners.push(listener),
  };
}
