import { refuse } from '../../shared/base/index.ts';
import { abilitiesOf, advisedFor, presenceOf, sandboxFor } from '../../shared/engine/index.ts';
import type {
  Advice,
  Advised,
  AdvisorQuestion,
  Config,
  RiskCode,
  Verdict,
} from '../../shared/engine/index.ts';
import type { GatePorts } from './ports.ts';
import { learn } from './request-context.ts';
import type { Decided, Permission } from './request-context.ts';

/**
 * Has an advisor look at an ask where the config names one for its agent, and takes down what it said.
 * Null where none is named: then nothing is made, started or waited for.
 */
export async function advise(
  decided: Decided,
  signal: AbortSignal,
  { config, advisors }: Pick<GatePorts, 'config' | 'advisors'>,
): Promise<Advice | null> {
  if (advisors === undefined) return null;
  const now = config();
  const advised = advisedFor(now, decided.identity.agent);
  if (advised === null) return null;
  const advice = await advisors.consult({
    advised,
    question: advisorQuestion(decided),
    workspaces: workspacesOf(decided, now),
    signal,
  });
  learn(decided, { advice });
  return advice;
}

/** The ask as an advisor is told of it. The agent's own reason is left out: it is there to persuade. */
function advisorQuestion({
  incoming,
  identity,
  target,
  understood,
  verdict,
}: Pick<Decided, 'incoming' | 'identity' | 'target' | 'understood' | 'verdict'>): AdvisorQuestion {
  const { analysis, command, detail, text } = understood;
  const stages = analysis.ok ? analysis.plan.stages : analysis.stages;
  return {
    version: 1,
    agent: identity.agent,
    kind: incoming.kind,
    host: target.host.name,
    cwd: command.cwd,
    command: text,
    detail: detail?.text ?? null,
    programs: stages.map(({ executable }) =>
      executable.kind === 'file' ? executable.realPath : null,
    ),
    opaque: analysis.ok ? null : analysis.detail,
    why: verdict.message,
    risk: {
      level: verdict.risk.level,
      findings: verdict.risk.findings.map(({ code, text: said }) => ({ code, text: said })),
    },
  };
}

/** Where the agent of an ask may write. */
function workspacesOf({ understood, identity }: Decided, config: Config): readonly string[] {
  const { readWrite } = sandboxFor(config, identity.agent, identity.trust.overrides);
  return [understood.command.cwd, ...config.exec.workspaces, ...readWrite];
}

/** What an advice does to the ask before a person sees it. */
type Effect =
  | { readonly kind: 'permission'; readonly permission: Permission }
  /** To be asked about, with this verdict: the same, or held back further. */
  | { readonly kind: 'ask'; readonly verdict: Verdict };

/**
 * What the advice counts for: nothing but a claim, or a no, or a held ask, or a yes for the sandbox.
 * Never a yes to what `mayAnswer` does not name. Throws the refusal of its no.
 */
export function effectOf(
  decided: Decided,
  advice: Advice | null,
  ports: Pick<GatePorts, 'config'>,
): Effect {
  const { verdict, identity } = decided;
  const same: Effect = { kind: 'ask', verdict };
  const advised = advice === null ? null : advisedFor(ports.config(), identity.agent);
  // Whoever was asked may have been taken out of the config meanwhile.
  if (advice === null || advised === null || advised.name !== advice.by) return same;
  if (advice.answer === 'refuse') {
    if (advised.counts !== 'note' && advised.onRefuse === 'deny')
      learn(decided, { deniedBy: 'advisor' });
    return refused(same, verdict, { advice, advised });
  }
  if (advice.answer !== 'safe' || !mayAnswer(decided, ports.config())) return same;
  const reason = `The advisor "${advice.by}" says that it is safe, and it runs in the sandbox.`;
  return { kind: 'permission', permission: { code: 'advised-safe', by: 'advisor', reason } };
}

function refused(
  same: Effect,
  verdict: Verdict,
  { advice, advised }: { readonly advice: Advice; readonly advised: Advised },
): Effect {
  if (advised.counts === 'note') return same;
  if (advised.onRefuse === 'deny')
    throw refuse(
      'policy-deny',
      `The advisor "${advice.by}" said no: ${advice.reason}`,
      'Take another way, or ask the person whose advisor it is.',
    );
  const code: RiskCode = 'advised-against';
  const text = `The advisor "${advice.by}" says no to it.`;
  const finding = { code, level: 'high', text, spans: [] } as const;
  const risk = { level: 'high', findings: [...verdict.risk.findings, finding] } as const;
  return { kind: 'ask', verdict: { ...verdict, risk } };
}

/** Reasons to ask that are nothing but the lack of a rule. */
const onlyUnruled: ReadonlySet<Verdict['reason']> = new Set(['no-rule', 'opaque', 'never-trusted']);

/**
 * Whether the config lets an advisor answer this ask with a yes: a command without any finding, about
 * which no rule and no mode wants a person asked, that would run in a sandbox without a network of
 * this machine, for somebody who is trusted like its owner.
 */
function mayAnswer(
  { incoming, identity, target, verdict, by, brokered, unkept }: Decided,
  config: Config,
): boolean {
  const { agent, trust } = identity;
  return (
    advisedFor(config, agent)?.counts === 'answer' &&
    incoming.kind === 'exec' &&
    by !== 'elsewhere' &&
    target.host.name === 'sandbox' &&
    target.unsettled === undefined &&
    sandboxFor(config, agent, trust.overrides).network !== 'full' &&
    abilitiesOf(trust.level).shell === 'as-configured' &&
    brokered === undefined &&
    unkept === undefined &&
    verdict.decision === 'ask' &&
    presenceOf(verdict) === null &&
    onlyUnruled.has(verdict.reason) &&
    verdict.policy.ask === 'on-miss' &&
    verdict.policy.security === 'allowlist' &&
    verdict.guarded.length === 0 &&
    verdict.risk.level === 'none' &&
    verdict.risk.findings.length === 0
  );
}

/**
 * An advisor's yes holds only while rules and config would still have it answer: what a person would
 * be asked about for another reason by now is asked about anew. Throws `binding-drift`.
 */
export function requireStillAdvised(
  decided: Decided & { readonly permission?: Permission },
  config: Config,
): void {
  if (decided.permission?.by !== 'advisor') return;
  if (decided.verdict.decision === 'allow' || mayAnswer(decided, config)) return;
  throw refuse(
    'binding-drift',
    'The advisor that said yes may not answer this any more.',
    'Ask again.',
  );
}
