import { randomUUID } from 'node:crypto';
import type { Clock } from '../../shared/base/index.ts';
import { refuse } from '../../shared/base/index.ts';
import {
  areLooser,
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
import type { Parts } from './parts.ts';
import type { SessionOverrides } from '../gate/overrides.ts';
import type { GatePorts } from '../gate/ports.ts';
import type { Arrival, Identity } from '../gate/request-context.ts';
import { askPerson } from './session-question.ts';
import type { QuestionPorts, Who } from './session-question.ts';

/** A command about a session, from whoever may speak for its agent. */
export interface OverrideCommand extends Arrival {
  readonly agent: string;
  readonly session: string;
  /** `/exec …` or `/elevated …`, as it was typed. */
  readonly text: string;
  /** How long at most it is raised, in milliseconds; the settings may say less. */
  readonly forMs?: number;
}

interface OverridePorts extends QuestionPorts, Pick<GatePorts, 'uid' | 'callers'> {
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
      'It is not a command about a session.',
      'See "interlock session".',
    );
  const order = parseSessionCommand(text);
  const request = { cwd: '/', agent, session };
  const identity = await authenticate({ kind: 'exec', request, ...arrival }, ports);
  const who = { agent: identity.agent, session: identity.session ?? session };
  const asked = { identity, who };
  if (order.kind === 'show') return bodyOf(who, ports);
  if (order.kind === 'off') await takeBack(order.what, asked, gone, ports);
  else {
    ports.stops.check();
    ports.arming.check(who.agent);
    requireOwnName(identity);
    await setFields({ ...asked, ...order, forMs }, gone, ports);
  }
  return bodyOf(who, ports);
}

/** What was raised ends at once, whoever says so; what held something back ends with a person's yes. */
async function takeBack(
  what: 'exec' | 'elevated',
  { identity, who }: Asked,
  gone: AbortSignal,
  ports: OverridePorts,
): Promise<void> {
  const { overrides, record } = ports;
  const { agent, session } = who;
  overrides.off(agent, session, 'elevated');
  const own = what === 'exec' ? overrides.of(agent, session)?.own : undefined;
  const givesMore =
    own !== undefined && areLooser(modesWith({}, identity, ports), modesWith(own, identity, ports));
  let by = '';
  if (givesMore) {
    requireOwner(identity);
    const why = `${wordsOf(who)} is to have no more: ${overrideWords(own)}.`;
    const { yes } = await askPerson(
      { identity, who, as: '/exec off', why, ...givingBack },
      gone,
      ports,
    );
    by = `, by ${yes}`;
  }
  record('session-override', `${wordsOf(who)}: ${what} off${by}.`);
  overrides.off(agent, session, what);
}

async function setFields(order: Setting, gone: AbortSignal, ports: OverridePorts): Promise<void> {
  const { identity, who, values, as, save } = order;
  const { overrides, record } = ports;
  if (raises(identity, values, ports)) {
    if (save)
      throw refuse(
        'invalid-request',
        'What a session is raised to holds for a while, and is not kept.',
        'Leave --save out, or have a person write it into the policy.',
      );
    return raise(order, gone, ports);
  }
  const own = overrides.of(who.agent, who.session)?.own ?? {};
  const next = { ...own, ...values };
  const givesMore = areLooser(modesWith(next, identity, ports), modesWith(own, identity, ports));
  let by = '';
  if (givesMore || save) {
    if (givesMore) requireOwner(identity);
    const why = save
      ? `${wordsOf(who)} is to keep, also after a restart: ${overrideWords(next)}.`
      : `${wordsOf(who)} is to have ${overrideWords(values)} in the place of ${overrideWords(own)}.`;
    const { yes } = await askPerson({ identity, who, as, why, ...givingBack }, gone, ports);
    by = `, by ${yes}`;
  }
  record('session-override', `${wordsOf(who)}: ${as}${by}.`);
  overrides.set(who.agent, who.session, values, { keep: save });
}

/** An ask about what a session was held to, and not about what it is raised to. */
const givingBack = {
  level: 'low',
  text: 'It changes what the later commands of this session need.',
} as const;

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

interface Asked {
  readonly identity: Identity;
  readonly who: Who;
}

interface Setting extends Asked {
  readonly values: SessionOverride;
  readonly as: string;
  readonly save: boolean;
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

type Policies = Pick<OverridePorts, 'engine' | 'policy'>;

/** Whether it gives more than the agent has without anything of the session's. */
function raises(
  { agent, trust }: Identity,
  values: SessionOverride,
  { engine, policy }: Policies,
): boolean {
  const { modes } = engine.origins(policy.document(), { agent, level: trust.level });
  return loosens(values, {
    security: modes.security.value,
    ask: modes.ask.value,
    mayRoute: ({ host, node }) =>
      engine.route({ agent, level: trust.level, asked: { host, node } }).ok,
  });
}

/** `security` and `ask` as they hold with these fields of the session, and nothing raised. */
function modesWith(own: SessionOverride, { agent, trust }: Identity, { engine, policy }: Policies) {
  const override = { own, raised: {} };
  const { modes } = engine.origins(policy.document(), { agent, level: trust.level, override });
  return { security: modes.security.value, ask: modes.ask.value };
}

function requireOwner({ trust }: Identity): void {
  if (trust.level === 'owner') return;
  throw refuse(
    'policy-deny',
    `Who asks counts as "${trust.level}" here, and only what the owner asks for is raised.`,
    'Ask the owner.',
  );
}

/** Throws where not even a person's yes would make it hold. */
function requireMayBeRaised(
  { identity, values }: Pick<Setting, 'identity' | 'values'>,
  { engine, policy }: Policies,
): void {
  requireOwner(identity);
  const { agent, trust } = identity;
  const { routed, modes } = engine.origins(policy.document(), {
    agent,
    level: trust.level,
    override: { own: {}, raised: values },
  });
  if (!routed.ok) throw refuse(routed.problem.code, routed.problem.message, routed.problem.hint);
  const host = hostOf(routed.route);
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

type Route = Extract<
  ReturnType<Policies['engine']['origins']>['routed'],
  { readonly ok: true }
>['route'];

/** The host as it was chosen: of `auto`, one of the two may be. */
function hostOf({ host, wanted }: Route): Route['host'] {
  return { ...host, value: wanted ?? host.value };
}

async function raise(order: Setting, gone: AbortSignal, ports: OverridePorts): Promise<void> {
  requireMayBeRaised(order, ports);
  const { identity, who, values, as, forMs } = order;
  const { config, clock, overrides } = ports;
  const lasts = Math.min(forMs ?? Infinity, config().exec.elevatedMs);
  const minutes = Math.max(1, Math.round(lasts / 60_000));
  const question = {
    identity,
    who,
    as,
    host: values.host ?? 'gateway',
    why: `The session "${who.session}" of "${who.agent}" wants ${overrideWords(values)} for ${minutes} min.`,
    level: 'high',
    text: 'Rules that deny still hold; most else runs without a question.',
  } as const;
  const { id, yes } = await askPerson(question, gone, ports);
  // What changed while the person thought about it wins over their yes.
  requireMayBeRaised(order, ports);
  const since = clock.now();
  const expiresAt = since + lasts;
  const until = new Date(expiresAt).toISOString();
  ports.record('session-elevated', `${wordsOf(who)}: ${as}, by ${yes}, until ${until}.`);
  overrides.raise({ id, ...who, as, values, since, expiresAt });
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
    host: routed.ok ? said(hostOf(routed.route)) : null,
    node: routed.ok ? said(routed.route.node) : null,
    security: said(modes.security),
    ask: said(modes.ask),
    elevation:
      elevation === undefined
        ? null
        : { id: elevation.id, as: elevation.as, expiresAt: elevation.expiresAt },
    own: override?.own ?? {},
    raised: override?.raised ?? {},
    kept: overrides.isKept(agent, session),
  };
}
