import { authenticate } from '../gate/authenticate.ts';
import type { GatePorts } from '../gate/ports.ts';
import type { Arrival } from '../gate/types.ts';
import type { Grants } from '../grants/types.ts';

/** A session that its agent calls over. */
export interface SessionEnd extends Arrival {
  readonly agent: string;
  readonly session: string;
}

/**
 * Forgets what was granted for a session. Only who may speak for the agent can end its sessions:
 * throws `hmac-fail` as for a command.
 */
export async function endSession(
  { agent, session, ...arrival }: SessionEnd,
  ports: Pick<GatePorts, 'uid' | 'config' | 'callers'> & {
    readonly grants: Pick<Grants, 'endSession'>;
  },
): Promise<void> {
  const request = { cwd: '/', agent, session };
  const identity = await authenticate({ kind: 'exec', request, ...arrival }, ports);
  if (identity.session !== null) ports.grants.endSession(identity.agent, identity.session);
}
