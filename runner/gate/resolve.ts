import { resolvePolicy, stricter } from '../../shared/policy/resolve.ts';
import { askModes, securityModes } from '../../shared/policy/types.ts';
import type { EffectivePolicy } from '../../shared/policy/types.ts';
import type { GatePorts } from './ports.ts';
import type { Identity, Incoming } from './types.ts';

/** What holds for this request: the policy, tightened by the request, and what was granted for now. */
export function resolve(
  { request }: Incoming,
  { agent, claimed, session }: Identity,
  { policy, config, grants }: Pick<GatePorts, 'policy' | 'config' | 'grants'>,
): EffectivePolicy {
  const of = (name: string): EffectivePolicy =>
    resolvePolicy(policy.document(), {
      agent: name,
      security: request.security,
      ask: request.ask,
      askTimeoutMs: config().approvals.askTimeoutMs,
    });
  const effective = claimed === null ? of(agent) : tightened(of(agent), of(claimed));
  return { ...effective, rules: [...effective.rules, ...grants.rules(agent, session)] };
}

/** A name that nothing proves can take away and never give: its modes and its "no" count. */
function tightened(anybody: EffectivePolicy, claimed: EffectivePolicy): EffectivePolicy {
  const known = new Set(anybody.rules);
  return {
    ...anybody,
    security: stricter(securityModes, anybody.security, claimed.security),
    ask: stricter(askModes, anybody.ask, claimed.ask),
    askFallback: stricter(securityModes, anybody.askFallback, claimed.askFallback),
    rules: [
      ...anybody.rules,
      ...claimed.rules.filter((rule) => (rule.effect ?? 'allow') !== 'allow' && !known.has(rule)),
    ],
  };
}
