import { GatewayFailure } from './frames.ts';
import type { GatewayConnection } from './connection.ts';
import { checkSnapshot } from './frames.ts';
import type { PolicySnapshot } from './frames.ts';

type Caller = Pick<GatewayConnection, 'call'>;

/** OpenClaw's own approvals policy: of the Gateway, or of a node. The socket's token is redacted there. */
export async function getPolicy(caller: Caller, nodeId: string | null): Promise<PolicySnapshot> {
  return snapshotOf(
    nodeId === null
      ? await caller.call('exec.approvals.get', {})
      : await caller.call('exec.approvals.node.get', { nodeId }),
  );
}

/** Replaces it, if it is still the one that `baseHash` names. */
export async function setPolicy(
  caller: Caller,
  wanted: {
    readonly file: Readonly<Record<string, unknown>>;
    readonly baseHash: string;
    readonly nodeId: string | null;
  },
): Promise<PolicySnapshot> {
  const { file, baseHash, nodeId } = wanted;
  return snapshotOf(
    nodeId === null
      ? await caller.call('exec.approvals.set', { file, baseHash })
      : await caller.call('exec.approvals.node.set', { file, baseHash, nodeId }),
  );
}

function snapshotOf(answer: unknown): PolicySnapshot {
  const checked = checkSnapshot(answer);
  if (checked.ok) return checked.value;
  throw new GatewayFailure(`OpenClaw's Gateway sent a policy that is none: ${checked.error}`);
}
