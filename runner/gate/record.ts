import { truncationMark } from '../../shared/wire/index.ts';
import { approversOf, defaultConfig } from '../../shared/engine/index.ts';
import type { Config, Trust } from '../../shared/engine/index.ts';
import { refuse } from '../../shared/base/index.ts';
import type { Refusal } from '../../shared/base/index.ts';
import { withoutKnown } from '../audit/known-secrets.ts';
import type { DecisionRow } from '../audit/rows.ts';
import { toolText } from './analyse.ts';
import type { GatePorts } from './ports.ts';
import type { Incoming, Permitted, RequestContext } from './request-context.ts';
import { canonicalOf } from './route.ts';

/** Writes the yes down so that it outlives a crash. No record, no run. */
export async function record(
  permitted: Permitted,
  { audit, config }: Pick<GatePorts, 'audit' | 'config'>,
): Promise<void> {
  const { code, by, reason, proof } = permitted.permission;
  const runsHere = permitted.incoming.kind === 'exec';
  const canonical = runsHere ? canonicalOf(permitted.understood) : null;
  const row = rowOf(permitted, config(), {
    decision: 'allow',
    code,
    by,
    reason,
    canonical,
    ...(proof !== undefined && { proof }),
  });
  try {
    await audit.durable(row);
  } catch (error) {
    throw refuse(
      'audit-unavailable',
      'The decision could not be written down, so nothing was run.',
      'Have a person look at the disk that holds INTERLOCK_HOME.',
      { cause: error },
    );
  }
}

/** Writes a no down. It stays a no when that fails. */
export async function recordRefusal(
  context: RequestContext,
  refusal: Refusal,
  { audit, config, log }: Pick<GatePorts, 'audit' | 'config' | 'log'>,
): Promise<void> {
  const by = context.deniedBy ?? (refusal.code === 'confirm-rejected' ? 'person' : 'policy');
  const reason = refusal.message;
  try {
    const said = { decision: 'deny', code: refusal.code, by, reason, canonical: null } as const;
    await audit.durable(rowOf(context, configOrNone(config), said));
  } catch (error) {
    log.error('A refusal could not be written down', error);
  }
}

function rowOf(
  context: RequestContext,
  config: Pick<Config, 'audit'>,
  said: Pick<DecisionRow, 'decision' | 'code' | 'by' | 'reason' | 'canonical' | 'proof'>,
): DecisionRow {
  const { id, at, incoming, session, identity, target, understood, verdict, advice } = context;
  const { request, kind, peer, from } = incoming;
  // Before the cut: of half a value nobody could tell what it is.
  const cap = (given: string): string => {
    const text = withoutKnown(given);
    return text.length > config.audit.commandCap
      ? text.slice(0, config.audit.commandCap) + truncationMark
      : text;
  };
  return {
    type: 'decision',
    id,
    at,
    kind,
    agent: identity?.agent ?? request.agent ?? '?',
    session,
    host: target?.host.name ?? request.host ?? '?',
    cwd: understood?.command.cwd ?? request.cwd,
    command: cap(understood?.text ?? textOf(incoming)),
    ...said,
    canonical: said.canonical === null ? null : cap(said.canonical),
    ...(advice !== undefined && {
      advice: { ...advice, reason: withoutKnown(advice.reason) },
    }),
    ...answeredFields(context),
    ruleIds: verdict?.matches.flatMap(({ rule }) => rule?.id ?? []) ?? [],
    risk: verdict?.risk.level ?? 'none',
    ...(identity !== undefined && trustFields(identity.trust)),
    ...(target?.nodeId !== undefined && { node: target.nodeId }),
    ...(from !== undefined && { gateway: from.gateway, gatewayRequest: from.id }),
    uid: peer?.uid ?? null,
    pid: peer?.pid ?? null,
  };
}

/** Who answered, and what those had signed who were asked first. */
function answeredFields({ answers = [], earlier = [], verdict }: RequestContext) {
  const approvers = verdict?.decision === 'ask' ? approversOf(verdict) : 1;
  return {
    ...(answers.length > 0 && { answers }),
    ...(earlier.length > 0 && { earlier }),
    ...(approvers > 1 && { approvers }),
  };
}

/** The level always: an owner on the gateway is somebody whom no sandbox holds. */
function trustFields({ level, users, channel }: Trust) {
  return {
    trust: level,
    ...(users.length > 0 && { users }),
    ...(channel !== null && { channel }),
  };
}

/** What was asked for, where nothing of it is understood yet. */
function textOf(incoming: Incoming): string {
  if (incoming.kind !== 'exec') return toolText(incoming.request);
  const { command, argv } = incoming.request;
  return command ?? (argv ?? []).join(' ');
}

/** A refusal is written down even while `config.json` is not valid. */
function configOrNone(config: GatePorts['config']): Pick<Config, 'audit'> {
  try {
    return config();
  } catch {
    return defaultConfig;
  }
}
