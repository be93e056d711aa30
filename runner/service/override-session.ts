import { randomUUID } from 'node:crypto';
import type { Clock } from '../../shared/base/index.ts';
import { refuse } from '../../shared/base/index.ts';
import {
  isSessionCommand,
  loosens,
  overrideWords,
  parseSessionCommand,
} from '../../shared/engine/index.ts';
import type { SessionOverride } from '../../shared/engine/index.ts';
import type { SessionOverrideBody } from '../../shared/wire/index.ts';
import { ancestryOf } from '../../shared/ipc/index.ts';
import type { AuditLog } from '../audit/rows.ts';
import { authenticate } from '../gate/authenticate.ts';
import { stoppedRefusal } from '../gate/in-flight.ts';
import type { Parts } from './parts.ts';
import type { SessionOverrides } from '../gate/overrides.ts';
import { answersOf, namesOf } from '../gate/answers.ts';
import type { AskDraft, AskEnding, GatePorts } from '../gate/ports.ts';
import type { Arrival, Identity } from '../gate/request-context.ts';

/** A command about a session, from whoever may speak for its agent. */
export interface OverrideCommand extends Arrival {
  readonly agent: string;
  readonly session: string;
  /** `/exec …` or `/elevated …`, as it was typed. */
  readonly text: string;
  /** How long at most it is raised, in milliseconds; the settings may say less. */
  readonly forMs?: number;
}

export interface OverridePorts extends Pick<
  GatePorts,
  | 'uid'
  | 'config'
  | 'callers'
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
  /** Writes a note to the record. Throws `audit-unavailable` when it cannot. */
  readonly record: (code: string, text: string) => void;
}

/**
 * Carries out a command about a session and answers what holds there then. What only tightens, or what
 * each request could choose, holds at once; for all else a person is asked, whoever sent it, and nothing
 * but their yes counts. Throws a refusal.
 */
export async function overrideSession(
  command: OverrideCommand,
  gone: AbortSignal,
  ports: OverridePorts,
): Promise<SessionOverrideBody> {
  const { text, agent, session, forMs, ...arrival } = command;
  if (!isSessionCommand(text))
    throw refuse(
      'invalid-request',
      'It is no command about a session.',
      'See "interlock session".',
    );
  const order = parseSessionCommand(text);
  const request = { cwd: '/', agent, session };
  const identity = await authenticate({ kind: 'exec', request, ...arrival }, ports);
  const who = { agent: identity.agent, session: identity.session ?? session };
  if (order.kind === 'show') return bodyOf(who, ports);
  if (order.kind === 'off') {
    ports.overrides.off(who.agent, who.session, order.what);
    ports.record('session-override', `${wordsOf(who)}: ${order.what} off.`);
    return bodyOf(who, ports);
  }
  ports.stops.check();
  ports.arming.check(who.agent);
  requireOwnName(identity);
  const { values, as } = order;
  if (needsPerson(identity, values, ports)) {
    await raise({ identity, who, values, as, forMs }, gone, ports);
  } else {
    ports.record('session-override', `${wordsOf(who)}: ${as}.`);
    ports.overrides.set(who.agent, who.session, values);
  }
  return bodyOf(who, ports);
}

/** Writes the note down. Throws `audit-unavailable` when that cannot be done. */
export function recordOrRefuse(
  audit: Pick<AuditLog, 'append'>,
  note: { readonly at: number; readonly code: string; readonly text: string },
): void {
  try {
    audit.append({ type: 'note', ...note });
  } catch (error) {
    throw refuse(
      'audit-unavailable',
      'It could not be written down, so that it does not hold.',
      'See "interlock doctor".',
      { cause: error },
    );
  }
}

/** The same with the parts of the runner. */
export function overrideOf(
  parts: Parts,
  {
    uid,
    clock,
    audit,
  }: { readonly uid: number; readonly clock: Clock; readonly audit: Pick<AuditLog, 'append'> },
) {
  return async (command: OverrideCommand, gone: AbortSignal): Promise<SessionOverrideBody> =>
    overrideSession(command, gone, {
      ...parts,
      uid,
      clock,
      newId: randomUUID,
      ancestry: ancestryOf,
      config: () => parts.config.current(),
      record: (code, text) => recordOrRefuse(audit, { at: clock.now(), code, text }),
    });
}

interface Who {
  readonly agent: string;
  readonly session: string;
}

interface Raise {
  readonly identity: Identity;
  readonly who: Who;
  readonly values: SessionOverride;
  readonly as: string;
  readonly forMs: number | undefined;
}

/** A name that does not count is anybody's, and so would be its session. */
function requireOwnName({ claimed }: Identity): void {
  if (claimed === null) return;
  throw refuse(
    'policy-deny',
    `Nothing proves the name "${claimed}", so that its sessions have nothing of their own.`,
    'Give the agent a key (interlock agents add NAME), or set principals.trustClaims.',
  );
}

function needsPerson(
  { agent, trust }: Identity,
  values: SessionOverride,
  { engine, policy }: Pick<OverridePorts, 'engine' | 'policy'>,
): boolean {
  const { modes } = engine.origins(policy.document(), { agent, level: trust.level });
  return loosens(values, {
    security: modes.security.value,
    ask: modes.ask.value,
    mayRoute: ({ host, node }) =>
      engine.route({ agent, level: trust.level, asked: { host, node } }).ok,
  });
}

/** Throws where not even a person's yes would make it hold. */
function requireMayBeRaised(
  { identity: { agent, trust }, values }: Raise,
  { engine, policy }: Pick<OverridePorts, 'engine' | 'policy'>,
): void {
  if (trust.level !== 'owner')
    throw refuse(
      'policy-deny',
      `Who asks counts as "${trust.level}" here, and only what the owner asks for is raised.`,
      'Ask the owner.',
    );
  const { routed, modes } = engine.origins(policy.document(), {
    agent,
    level: trust.level,
    override: { own: {}, raised: values },
  });
  if (!routed.ok) throw refuse(routed.problem.code, routed.problem.message, routed.problem.hint);
  const { host } = routed.route;
  if (values.host !== undefined && host.value !== values.host && values.host !== 'sandbox')
    throw refuse(
      'policy-deny',
      `"${agent}" stays on the host "${host.value}": ${host.setting} says so.`,
      'A person may change that setting.',
    );
  const held =
    values.security !== undefined && modes.security.value !== values.security
      ? modes.security
      : values.ask !== undefined && modes.ask.value !== values.ask
        ? modes.ask
        : null;
  if (held !== null)
    throw refuse(
      'policy-deny',
      `"${held.value}" holds whatever a session is raised to: ${held.setting} says so.`,
      'A person may change that setting.',
    );
}

async function raise(order: Raise, gone: AbortSignal, ports: OverridePorts): Promise<void> {
  requireMayBeRaised(order, ports);
  const { identity, who, values, as, forMs } = order;
  const { config, clock, newId, limits, approver, inFlight, overrides } = ports;
  const lasts = Math.min(forMs ?? Infinity, config().exec.elevatedMs);
  const release = limits.ask(identity);
  const id = newId();
  const flight = inFlight.enter(id, gone);
  const asking = overrides.asking(who.agent, who.session);
  try {
    const draft = await draftOf(id, order, lasts, ports);
    const ending = await approver.ask(draft, {
      timeoutMs: config().approvals.askTimeoutMs,
      signal: flight.signal,
      onPending: () => undefined,
      covered: () => false,
    });
    const by = requireYes(ending);
    // What was locked, or changed, while the person thought about it, wins over their yes.
    ports.stops.check();
    ports.arming.check(who.agent);
    requireMayBeRaised(order, ports);
    if (asking.isOver())
      throw refuse(
        'policy-deny',
        `The session "${who.session}" ended while a person was asked about it.`,
        'Ask again in the session that there is now.',
      );
    const since = clock.now();
    const expiresAt = since + lasts;
    const until = new Date(expiresAt).toISOString();
    ports.record('session-elevated', `${wordsOf(who)}: ${as}, by ${by}, until ${until}.`);
    overrides.raise({ id, ...who, as, values, since, expiresAt });
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
    'Nobody can be asked, and nothing else raises a session.',
    'Start an approver with "interlock ui", then ask again.',
  );
}

async function draftOf(
  id: string,
  { identity, who, values, as }: Raise,
  lasts: number,
  { ancestry, engine, policy }: Pick<OverridePorts, 'ancestry' | 'engine' | 'policy'>,
): Promise<AskDraft> {
  // A policy that wants a person's presence for what does great harm wants it for this, too.
  const effective = engine.policyFor(policy.document(), { agent: who.agent });
  const approvers = effective.approvers?.high ?? 1;
  const presence = approvers > 1 ? 'passkey' : effective.presence?.high;
  const minutes = Math.max(1, Math.round(lasts / 60_000));
  const why = `The session "${who.session}" of "${who.agent}" wants ${overrideWords(values)} for ${minutes} min.`;
  return {
    id,
    kind: 'exec',
    agent: who.agent,
    session: who.session,
    toolUseId: null,
    statedReason: null,
    host: values.host ?? 'gateway',
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
        why: 'It runs nothing by itself: it loosens what its later commands need.',
        span: null,
      },
    ],
    opaque: null,
    why,
    risk: {
      level: 'high',
      findings: [
        {
          code: 'privilege',
          level: 'high',
          text: 'Rules that deny still hold; most else runs without a question.',
          spans: [],
        },
      ],
    },
    env: [],
    ancestry: identity.pid === null ? [] : await ancestry(identity.pid),
    proposals: [],
    durations: ['once'],
    ...(presence !== undefined && { presence }),
    ...(approvers > 1 && { approvers }),
  };
}

function wordsOf({ agent, session }: Who): string {
  return `Session "${session}" of "${agent}"`;
}

function bodyOf(
  { agent, session }: Who,
  { engine, policy, overrides }: Pick<OverridePorts, 'engine' | 'policy' | 'overrides'>,
): SessionOverrideBody {
  const override = overrides.of(agent, session) ?? undefined;
  const { routed, modes } = engine.origins(policy.document(), { agent, override });
  const elevation = overrides
    .elevations()
    .find((one) => one.agent === agent && one.session === session);
  const said = <T>({ value, setting }: { readonly value: T; readonly setting: string }) => ({
    value,
    setting,
  });
  return {
    ok: true,
    agent,
    session,
    host: routed.ok ? said(routed.route.host) : null,
    node: routed.ok ? said(routed.route.node) : null,
    security: said(modes.security),
    ask: said(modes.ask),
    elevation:
      elevation === undefined
        ? null
        : { id: elevation.id, as: elevation.as, expiresAt: elevation.expiresAt },
  };
}
