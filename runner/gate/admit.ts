import type { GatePorts } from './ports.ts';
import type { Analysed, Identified } from './request-context.ts';

/**
 * Lets a request in while nothing is locked or paused, the agent's hooks are as they were, and the limits leave room. Answers how to
 * give the place back.
 */
export function admit(
  { identity, incoming }: Identified,
  { stops, arming, limits }: Pick<GatePorts, 'stops' | 'arming' | 'limits'>,
): () => void {
  stops.check();
  arming.check(identity.claimed ?? identity.agent);
  // The command that it comes out of waits for it in a place of its own.
  if (incoming.within !== undefined) return () => {};
  return limits.enter(identity);
}

/**
 * Takes the command from the principal's rate, or from the rates of its programs. It stands behind
 * the analysis because only that knows the programs; the door has a rate for all principals.
 */
export function admitByRate(
  { identity, brokered, understood: { analysis } }: Analysed,
  { limits }: Pick<GatePorts, 'limits'>,
): void {
  if (brokered?.policy.rate !== undefined) limits.tool(identity, brokered.policy.rate);
  const stages = analysis.ok ? analysis.plan.stages : analysis.stages;
  limits.meter(
    identity,
    stages.flatMap(({ executable }) => (executable.kind === 'builtin' ? [] : [pathOf(executable)])),
  );
}

function pathOf(executable: { readonly name: string; readonly realPath?: string }): string {
  return executable.realPath ?? executable.name;
}
