import { randomBytes } from 'node:crypto';
import { createVault } from '../tools/vault.ts';
import { createBuckets } from '../limits/bucket.ts';
import { createLimits } from '../limits/limits.ts';
import { keepLevels, readLevels } from '../limits/state.ts';
import { createCallers } from '../principals/callers.ts';
import { openNonceWindow } from '../principals/nonce-window.ts';
import { createPrincipals } from '../principals/principals.ts';
import type { Principals } from '../principals/callers.ts';
import type { ConfigStore, PartsOptions } from './parts.ts';

/** The keys of agents, and secrets by their names. */
export function keysOf({ paths, uid, clock, log, secrets, namedSecrets }: PartsOptions) {
  const directory = paths.keysDirectory;
  const now = (): number => clock.now();
  return {
    principals: createPrincipals({ directory, secrets, uid, now, random: randomBytes }),
    vault: createVault({ directory, uid, open: namedSecrets, log }),
  };
}

/** Who asks, and how often they may. */
export function callersOf(
  { paths, uid, clock, log, closing }: PartsOptions,
  {
    config,
    principals,
  }: {
    readonly config: ConfigStore;
    readonly principals: Principals;
  },
) {
  const now = (): number => clock.now();
  const callers = createCallers({
    principals,
    openNonces: () => openNonceWindow({ path: paths.nonces, uid, now }),
    now,
  });
  closing.add('the memory of nonces', callers);
  const buckets = createBuckets({
    elapsed: () => performance.now(),
    levels: readLevels(paths.limits, uid),
  });
  const levels = keepLevels({
    path: paths.limits,
    buckets: () => buckets,
    clock,
    problem: (sentence) => log.warn(sentence),
  });
  closing.add('the state of the limits', () => levels.flush());
  const limits = createLimits({
    settings: () => config.current().limits,
    buckets,
    changed: () => levels.changed(),
  });
  return { callers, limits, levels };
}
