import { refuse } from '../../shared/refusal/refusal.ts';
import type { Host } from './types.ts';

export interface Hosts {
  /** The host of that name, or a `host-unavailable` refusal. */
  find(name: string): Host;
  all(): readonly Host[];
}

/** The hosts that this runner has. */
export function createHosts(hosts: readonly Host[]): Hosts {
  const byName = new Map(hosts.map((host) => [host.name, host]));
  return {
    find: (name) => {
      const host = byName.get(name);
      if (host === undefined)
        throw refuse(
          'host-unavailable',
          `There is no host "${name}" here.`,
          `Use one of: ${[...byName.keys()].join(', ')}.`,
        );
      return host;
    },
    all: () => hosts,
  };
}
