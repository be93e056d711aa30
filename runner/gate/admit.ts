import type { GatePorts } from './ports.ts';
import type { Identity } from './types.ts';

/**
 * Lets a request in while nothing is locked or paused and the limits leave room. Answers how to
 * give the place back.
 */
export function admit(
  identity: Identity,
  { stops, limits }: Pick<GatePorts, 'stops' | 'limits'>,
): () => void {
  stops.check();
  return limits.enter(identity);
}
