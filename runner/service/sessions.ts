import { refuse } from '../../shared/base/index.ts';
import type { PendingAsks } from '../approvals/pending.ts';
import { authenticate } from '../gate/authenticate.ts';
import type { Hosts } from '../hosts/host.ts';
import type { GatePorts } from '../gate/ports.ts';
import type { Arrival } from '../gate/request-context.ts';
import type { Grants } from '../gate/grants.ts';
import type { SessionOverrides } from '../gate/overrides.ts';

/** A session that its agent calls over. */
export interface SessionEnd extends Arrival {
  readonly agent: string;
  readonly session: string;
}

/** What ended with it. */
export interface EndedSession {
  /** Whose it was: `*` for a name that does not count. */
  readonly agent: string;
  /** Grants that were forgotten, and asks that were taken back. */
  readonly grants: number;
  readonly withdrawn: number;
}

interface SessionPorts extends Pick<GatePorts, 'uid' | 'config' | 'callers'> {
  readonly grants: Pick<Grants, 'endSession' | 'agentsOf'>;
  readonly pending: Pick<PendingAsks, 'list' | 'end'>;
  readonly overrides: Pick<SessionOverrides, 'endSession'>;
  readonly hosts: Pick<Hosts, 'all'>;
  /** Told of each session that has ended. */
  readonly ended: (agent: string, session: string) => void;
}

/**
 * Forgets what was granted for a session, takes its questions back and ends what it left running. Only who may speak for the
 * agent can end its sessions: throws `hmac-fail` as for a command, and for a session of another
 * agent. One that nobody knows of has nothing to end.
 */
export async function endSession(
  { agent, session, ...arrival }: SessionEnd,
  ports: SessionPorts,
): Promise<EndedSession> {
  const request = { cwd: '/', agent, session };
  const identity = await authenticate({ kind: 'exec', request, ...arrival }, ports);
  const name = identity.session ?? session;
  const asks = ports.pending.list().filter(({ ask }) => ask.session === name);
  const agents = new Set([...ports.grants.agentsOf(name), ...asks.map(({ ask }) => ask.agent)]);
  if (agents.size > 0 && !agents.has(identity.agent))
    throw refuse(
      'hmac-fail',
      `The session is not one of the agent "${identity.agent}".`,
      'An agent can only end its own sessions.',
    );
  const withdrawn = asks.filter(
    ({ ask }) =>
      ask.agent === identity.agent &&
      ports.pending.end(ask.id, { kind: 'stopped', reason: 'requester-gone' }),
  ).length;
  for (const host of ports.hosts.all()) host.endSession?.(identity.agent, name);
  ports.overrides.endSession(identity.agent, name);
  const grants = ports.grants.endSession(identity.agent, name);
  ports.ended(identity.agent, name);
  return { agent: identity.agent, grants, withdrawn };
}
