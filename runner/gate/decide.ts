import { refuse } from '../../shared/base/index.ts';
import {
  askModes,
  decide,
  fallBack as decideFallback,
  resolvePolicy,
  securityModes,
  stricter,
} from '../../shared/engine/index.ts';
import type { DecideInput, EffectivePolicy, Verdict } from '../../shared/engine/index.ts';
import { hashFile } from './file-identity.ts';
import type { GatePorts } from './ports.ts';
import type {
  Dossier,
  Identity,
  Incoming,
  Permission,
  Target,
  Understood,
} from './request-context.ts';

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

/** What the rules are held against. */
export interface MatchSubject {
  readonly incoming: Incoming;
  readonly policy: EffectivePolicy;
  readonly understood: Understood;
  readonly target: Target;
}

/** Everything that the verdict depends on. */
export function decideInput(
  { incoming, policy, understood, target }: MatchSubject,
  { clock, surroundings }: Pick<GatePorts, 'clock' | 'surroundings'>,
): DecideInput {
  const { platform, home } = surroundings();
  return {
    policy,
    analysis: understood.analysis,
    request: understood.command,
    kind: incoming.kind,
    host: target.host.name,
    now: clock.now(),
    platform,
    home,
    hashFile,
  };
}

/** Holds every stage against the rules. */
export function match(input: DecideInput): Verdict {
  return decide(input);
}

/** Throws `policy-deny` when the rules have said no. */
export function requireNotDenied(verdict: Verdict): void {
  if (verdict.decision === 'deny') throw refuse('policy-deny', verdict.message, verdict.hint);
}

/** What `askFallback` says when a person is needed and nobody can be reached. */
export function fallBack(verdict: Verdict): Permission {
  const { decision, message } = decideFallback(verdict);
  if (decision === 'allow')
    return { code: `fallback-${verdict.policy.askFallback}`, by: 'fallback', reason: message };
  throw refuse(
    'approver-unavailable',
    message,
    'Start an approver with "interlock ui", then ask again.',
  );
}

/** Tells the policy which rules have decided, for "last used" in the allowlist editor. */
export function noteUse(
  { at, matched, understood }: Dossier,
  { policy }: Pick<GatePorts, 'policy'>,
): void {
  if (matched === null || understood === null) return;
  const { analysis, text } = understood;
  const stages = analysis.ok ? analysis.plan.stages : analysis.stages;
  for (const { stage, rule } of matched.verdict.matches) {
    if (rule === null || rule.source === 'grant') continue;
    const executable = stages[stage]?.executable;
    policy.used({
      ruleId: rule.id,
      at,
      command: text,
      resolvedPath: executable?.kind === 'file' ? executable.realPath : null,
    });
  }
}
