import { refuse } from '../../shared/base/index.ts';
import { approversOf, confirmedForTool, trustOf } from '../../shared/engine/index.ts';
import type { EffectivePolicy, Situation, Verdict } from '../../shared/engine/index.ts';
import { brokerHost } from '../tools/broker.ts';
import { requireStillAdvised } from './advise.ts';
import { overrideFor } from './overrides.ts';
import type { GatePorts } from './ports.ts';
import { learn } from './request-context.ts';
import type { Analysed, Decided, Identified, Permission } from './request-context.ts';

/** What holds for this request: the policy, tightened by the request, and what was granted for now. */
export function resolve(
  { incoming: { request }, identity }: Identified,
  {
    policy,
    engine,
    grants,
    overrides,
  }: Pick<GatePorts, 'policy' | 'engine' | 'grants' | 'overrides'>,
): EffectivePolicy {
  const { security, ask } = request;
  const { agent, claimed, session } = identity;
  const granted = grants.rules(agent, session);
  const override = overrideFor(identity, overrides);
  const who = { agent, claimed, security, ask, granted, override, cwd: request.cwd };
  return engine.policyFor(policy.document(), who);
}

/** What the verdict is about. */
export function situationOf(analysed: Analysed): Situation {
  const { incoming, policy, understood, target, identity, unkept } = analysed;
  return {
    policy,
    analysis: understood.analysis,
    request: understood.command,
    kind: incoming.kind,
    host: target.unsettled === undefined ? target.host.name : 'auto',
    ...(target.unsettled === 'sandbox' && { wanted: 'sandbox' }),
    ...(unkept !== undefined && { unkept }),
    ...(target.box !== undefined && { box: target.box }),
    level: identity.trust.level,
    overrides: identity.trust.overrides,
  };
}

/** Holds every stage against the rules. */
export function match(analysed: Analysed, { engine }: Pick<GatePorts, 'engine'>): Verdict {
  return confirmedForTool(engine.decide(situationOf(analysed)), analysed.brokered?.confirm ?? null);
}

/**
 * Holds a request for a brokered tool against the policy of the tool, before its rules are asked.
 * Rejects with its refusal.
 */
export async function broker(
  analysed: Analysed,
  { broker: brokers }: Pick<GatePorts, 'broker'>,
): Promise<void> {
  if (analysed.target.host.name !== brokerHost) return;
  if (brokers === undefined) throw new Error('there is a host for tools and no broker');
  learn(analysed, { brokered: await brokers.admit(analysed.understood) });
}

/**
 * The same at first, where what would run in the sandbox unasked has to be taken back if need be: a
 * workspace that cannot be kept makes it a question.
 */
export async function matchKept(
  analysed: Analysed,
  ports: Pick<GatePorts, 'engine' | 'undo'>,
): Promise<Verdict> {
  const verdict = match(analysed, ports);
  if (verdict.reason !== 'sandbox-unasked') return verdict;
  const { agent } = analysed.identity;
  const { cwd } = analysed.understood.command;
  const keeping = await ports.undo.check({ agent, host: verdict.host, cwd });
  if (keeping.kind !== 'no') return verdict;
  return match(learn(analysed, { unkept: keeping.why }), ports);
}

/** Throws `policy-deny` when the rules have said no. */
export function requireNotDenied(verdict: Verdict): void {
  if (verdict.decision === 'deny') throw refuse('policy-deny', verdict.message, verdict.hint);
}

/**
 * Looks once more when a person has taken their time: a lock, or a rule that denies by now, wins over
 * their yes. What the rules only ask about stays answered. Throws the refusal.
 */
export function requireStillAllowed(
  decided: Decided,
  ports: Pick<
    GatePorts,
    'stops' | 'arming' | 'policy' | 'engine' | 'grants' | 'overrides' | 'config'
  >,
): void {
  ports.stops.check();
  ports.arming.check(decided.identity.agent);
  const policy = resolve(decided, ports);
  const trust = trustOf(ports.config(), decided.identity.trust.caller);
  const identity = { ...decided.identity, trust };
  const verdict = match({ ...decided, policy, identity }, ports);
  if (verdict.decision === 'deny') learn(decided, { policy, verdict, identity });
  requireNotDenied(verdict);
  if (approversOf(verdict) > approversOf(decided.verdict))
    throw refuse(
      'binding-drift',
      'By now more people are wanted for it than were asked.',
      'Ask again.',
    );
  requireStillAdvised({ ...decided, policy, verdict, identity }, ports.config());
}

/** What `askFallback` says when a person is needed and nobody can be reached. */
export function fallBack({ verdict }: Decided, { engine }: Pick<GatePorts, 'engine'>): Permission {
  const { decision, message } = engine.fallBack(verdict);
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
  { at, verdict, understood }: Decided,
  { policy }: Pick<GatePorts, 'policy'>,
): void {
  const { analysis, text } = understood;
  const stages = analysis.ok ? analysis.plan.stages : analysis.stages;
  for (const { stage, rule } of verdict.matches) {
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
