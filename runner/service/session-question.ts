import { refuse } from '../../shared/base/index.ts';
import { answersOf, namesOf } from '../gate/answers.ts';
import { stoppedRefusal } from '../gate/in-flight.ts';
import type { SessionOverrides } from '../gate/overrides.ts';
import type { AskDraft, AskEnding, GatePorts } from '../gate/ports.ts';
import type { Identity } from '../gate/request-context.ts';

/** Which session it is about. */
export interface Who {
  readonly agent: string;
  readonly session: string;
}

/** What a person is asked about a session. */
interface SessionQuestion {
  readonly identity: Identity;
  readonly who: Who;
  /** As it was typed. */
  readonly as: string;
  readonly host?: string;
  readonly why: string;
  /** A high risk wants what the policy wants of one: presence, or two people. */
  readonly level: 'low' | 'high';
  /** What the risk is, in a sentence. */
  readonly text: string;
}

export interface QuestionPorts extends Pick<
  GatePorts,
  | 'config'
  | 'clock'
  | 'newId'
  | 'engine'
  | 'stops'
  | 'arming'
  | 'limits'
  | 'approver'
  | 'inFlight'
  | 'ancestry'
> {
  readonly policy: Pick<GatePorts['policy'], 'document'>;
  readonly overrides: SessionOverrides;
}

/**
 * Asks a person about a session; no rule, grant, advisor or fallback answers in their place. Resolves
 * with who said yes, in words. Throws where nobody did, where it was locked or disarmed meanwhile, and
 * where the session ended.
 */
export async function askPerson(
  question: SessionQuestion,
  gone: AbortSignal,
  ports: QuestionPorts,
): Promise<{ readonly id: string; readonly yes: string }> {
  const { identity, who } = question;
  const { config, newId, limits, approver, inFlight, overrides, stops, arming } = ports;
  stops.check();
  const release = limits.ask(identity);
  const id = newId();
  const flight = inFlight.enter(id, gone);
  const asking = overrides.asking(who.agent, who.session);
  try {
    const draft = await draftOf(id, question, ports);
    const ending = await approver.ask(draft, {
      timeoutMs: config().approvals.askTimeoutMs,
      signal: flight.signal,
      onPending: () => undefined,
      covered: () => false,
    });
    const yes = requireYes(ending);
    // What was locked, or changed, while the person thought about it, wins over their yes.
    stops.check();
    arming.check(who.agent);
    if (asking.isOver())
      throw refuse(
        'policy-deny',
        `The session "${who.session}" ended while a person was asked about it.`,
        'Ask again in the session that there is now.',
      );
    return { id, yes };
  } finally {
    asking.done();
    flight.ended();
    release();
  }
}

/** Who said yes, in words. Throws where that was nobody. */
function requireYes(ending: AskEnding): string {
  if (ending.kind === 'decided' && ending.decision.decision === 'allow-once')
    return namesOf(answersOf(ending)) ?? 'a person';
  if (ending.kind === 'decided')
    throw refuse('confirm-rejected', 'A person said no.', 'Do not ask for the same again.');
  if (ending.kind === 'stopped') throw stoppedRefusal(ending.reason);
  if (ending.kind === 'expired')
    throw refuse(
      'approval-timeout',
      'Nobody answered in time.',
      'Ask again when a person is there.',
    );
  throw refuse(
    'approver-unavailable',
    'Nobody can be asked, and nothing else changes a session so.',
    'Start an approver with "interlock ui", then ask again.',
  );
}

async function draftOf(
  id: string,
  { identity, who, as, host, why, level, text }: SessionQuestion,
  { ancestry, engine, policy }: Pick<QuestionPorts, 'ancestry' | 'engine' | 'policy'>,
): Promise<AskDraft> {
  // A policy that wants a person's presence for what does great harm wants it for this, too.
  const effective = engine.policyFor(policy.document(), { agent: who.agent });
  const approvers = effective.approvers?.[level] ?? 1;
  const presence = approvers > 1 ? 'passkey' : effective.presence?.[level];
  return {
    id,
    kind: 'exec',
    agent: who.agent,
    session: who.session,
    toolUseId: null,
    statedReason: null,
    host: host ?? 'gateway',
    cwd: '/',
    command: as,
    isShellText: false,
    stages: [
      {
        argv: as.split(' '),
        resolvedPath: null,
        program: 'tool',
        via: [],
        cwd: null,
        writes: [],
        why: 'It runs nothing by itself: it changes what its later commands need.',
        span: null,
      },
    ],
    opaque: null,
    why,
    risk: { level, findings: [{ code: 'privilege', level, text, spans: [] }] },
    env: [],
    ancestry: identity.pid === null ? [] : await ancestry(identity.pid),
    proposals: [],
    durations: ['once'],
    ...(presence !== undefined && { presence }),
    ...(approvers > 1 && { approvers }),
  };
}
