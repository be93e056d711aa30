import { refuse } from '../../shared/refusal/refusal.ts';
import type { GatePorts } from './ports.ts';
import type { Identity, Incoming, Target } from './types.ts';

/** Finds the host. A request may name the one that is configured, and no other. */
export function route(
  { request }: Incoming,
  { agent }: Identity,
  { config, hosts }: Pick<GatePorts, 'config' | 'hosts'>,
): Target {
  const { exec, agents } = config();
  const own = Object.hasOwn(agents, agent) ? agents[agent] : undefined;
  const host = own?.host ?? exec.host;
  const node = own?.node ?? exec.node;
  if (request.host !== undefined && request.host !== host)
    throw refuse(
      'host-unavailable',
      `Commands of "${agent}" run on the host "${host}", not on "${request.host}".`,
      'Leave the host out, or have a person set exec.host in config.json.',
    );
  if (request.node !== undefined && request.node !== node)
    throw refuse(
      'host-unavailable',
      node === null
        ? `Commands of "${agent}" are bound to no node.`
        : `Commands of "${agent}" are bound to the node "${node}".`,
      'Leave the node out, or have a person set exec.node in config.json.',
    );
  return { host: hosts.find(host), node: host === 'node' ? node : null };
}
