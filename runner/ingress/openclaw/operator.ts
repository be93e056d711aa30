import { messageOf } from '../../../shared/base/index.ts';
import type { Clock } from '../../../shared/base/index.ts';
import { quoteWords } from '../../../shared/engine/index.ts';
import type { PermitRequest } from '../../../shared/wire/index.ts';
import { answerOf, checkedYes, refusalText } from '../asking.ts';
import type { AskingClient } from '../asking.ts';
import type { GatewayConnection } from './connection.ts';
import { GatewayRefusal, checkDetails, checkList, checkRecord, checkResolved } from './frames.ts';
import type { ApprovalRecord, ApprovalRequest, EventFrame } from './frames.ts';

interface QuestionOptions {
  /** The agent that our key speaks for; null: each of OpenClaw's agents under a name of its own. */
  readonly agent: string | null;
  /** Whether a folder of this path is on this machine. */
  readonly isFolder: (path: string) => boolean;
  /** Whether the Gateway is on this machine. */
  readonly isLocal: boolean;
}

/** Stands for a folder that is not on this machine. */
const nowhere = '/';
const longestReason = 4096;

/**
 * What the gate is asked. Where the command is to run on another machine, or with an environment or
 * in a folder that the gate cannot see, no rule may answer: a person is asked, and reads where.
 * Null when the request does not say what would be run.
 */
function questionOf(
  { id, request }: ApprovalRecord,
  options: QuestionOptions,
): PermitRequest | null {
  const { agent, isFolder, isLocal } = options;
  const command = commandOf(request);
  if (command === null) return null;
  const cwd = request.systemRunPlan?.cwd ?? request.cwd ?? null;
  const isHere = isLocal && request.host !== 'node' && isAbsolute(cwd) && isFolder(cwd);
  const hasEnvironment = (request.envKeys ?? []).length > 0;
  const who = plainName(`openclaw:${request.agentId ?? 'main'}`);
  return {
    ...command,
    by: 'elsewhere',
    cwd: isHere ? cwd : nowhere,
    agent: agent ?? who,
    session: plainName(`openclaw:${request.sessionKey ?? request.agentId ?? 'main'}`),
    toolUseId: id,
    statedReason: reasonOf(request, cwd).slice(0, longestReason),
    ...((!isHere || hasEnvironment) && { ask: 'always' as const }),
  };
}

/** What a node will run is its plan, whatever the text says. */
function commandOf({
  host,
  command,
  systemRunPlan,
}: ApprovalRequest): Pick<PermitRequest, 'argv' | 'command'> | null {
  if (host === 'node') {
    const argv = systemRunPlan?.argv ?? [];
    return argv.length === 0 ? null : { argv };
  }
  return command === undefined || command.trim() === '' ? null : { command };
}

function reasonOf(request: ApprovalRequest, cwd: string | null): string {
  const { host, nodeId, envKeys = [], warningText, command, systemRunPlan } = request;
  const where = host === 'node' ? `on node ${nodeId ?? '(unnamed)'}` : 'on the Gateway';
  const lines = [`OpenClaw wants to run this ${where}, in ${cwd ?? 'a folder it does not name'}.`];
  if (envKeys.length > 0) lines.push(`It sets these variables: ${envKeys.join(', ')}`);
  if (host === 'node' && command !== undefined && command !== quoteWords(systemRunPlan?.argv ?? []))
    lines.push(`OpenClaw writes it as: ${command}`);
  if (typeof warningText === 'string' && warningText !== '') lines.push(warningText);
  return lines.join('\n');
}

function isAbsolute(path: string | null): path is string {
  return path?.startsWith('/') === true;
}

/** A name as the runner takes it: other characters become hyphens. */
function plainName(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9._:@/-]/g, '-').slice(0, 128);
}

export interface OperatorParts {
  readonly client: Pick<AskingClient, 'permit'>;
  readonly clock: Clock;
  readonly question: QuestionOptions;
  /** One line for the person who runs this; never a command or a secret. */
  readonly say: (line: string) => void;
}

type Calling = Pick<GatewayConnection, 'call'>;

/** Answers OpenClaw's asks through the gate, over any number of connections one after the other. */
export interface Operator {
  /** Hands over what the Gateway tells while a connection is open. */
  onEvent(event: EventFrame): void;
  /** A new connection: asks for what waits there, and sends answers that are still owed. */
  attach(connection: Calling): Promise<void>;
  /** The connection is gone. What is being asked stays so until it expires. */
  detach(): void;
  /** Takes every ask back. */
  dispose(): void;
}

type Decision = 'allow-once' | 'deny';

interface Open {
  readonly record: ApprovalRecord;
  readonly withdraw: () => void;
  decision: Decision | null;
}

/** The longest wait that a timer takes. */
const longestTimer = 2_147_483_647;

interface Deciding {
  readonly parts: OperatorParts;
  /** The connection of the moment. */
  readonly connection: () => Calling | null;
  readonly signal: AbortSignal;
}

async function decide(record: ApprovalRecord, context: Deciding): Promise<Decision> {
  const { parts, connection, signal } = context;
  const offered = record.request.allowedDecisions;
  const answer = await answerOf(async () => {
    const request = questionOf(await complete(record, connection()), parts.question);
    if (request === null) throw new Error('the request names no command');
    if (offered !== undefined && !offered.includes('allow-once'))
      throw new Error('the request cannot be allowed once');
    return checkedYes(await parts.client.permit(request, signal));
  });
  if (answer.kind === 'allowed') return 'allow-once';
  if (!signal.aborted) parts.say(`OpenClaw's request ${record.id}: ${refusalText(answer.refusal)}`);
  return 'deny';
}

/** What waits for an answer; an entry that is not understood waits for somebody else. */
async function listed(connection: Calling): Promise<readonly ApprovalRecord[]> {
  const list = checkList(await connection.call('exec.approval.list', {}));
  if (!list.ok) throw new Error(`its list is none: ${list.error}`);
  return list.value.flatMap((value) => {
    const checked = checkRecord(value);
    return checked.ok ? [checked.value] : [];
  });
}

/** The command of a request that an event told without it. */
async function complete(
  record: ApprovalRecord,
  connection: Calling | null,
): Promise<ApprovalRecord> {
  const { request } = record;
  if (request.host === 'node' || (request.command ?? '') !== '' || connection === null)
    return record;
  const details = checkDetails(await connection.call('exec.approval.get', { id: record.id }));
  if (!details.ok) throw new Error(details.error);
  const { commandText, allowedDecisions } = details.value;
  // Its text was made for the eye, so no rule may answer: `cwd` and all are left out.
  return {
    ...record,
    request: {
      ...request,
      command: commandText,
      cwd: null,
      ...(allowedDecisions !== undefined && { allowedDecisions }),
    },
  };
}

export function createOperator(parts: OperatorParts): Operator {
  const { clock, say } = parts;
  const open = new Map<string, Open>();
  let connection: Calling | null = null;
  /** Ids that events told of since the connection began: the list may be older than they are. */
  let told = new Set<string>();

  const drop = (id: string): void => {
    open.get(id)?.withdraw();
    open.delete(id);
  };

  const resolve = async (id: string): Promise<void> => {
    const entry = open.get(id);
    if (entry === undefined || entry.decision === null || connection === null) return;
    const { decision } = entry;
    try {
      await connection.call('exec.approval.resolve', { id, decision });
      say(`OpenClaw's request ${id}: ${decision}.`);
      drop(id);
    } catch (error) {
      // A Gateway that said no has no use for the answer; one that is gone gets it when it is back.
      if (error instanceof GatewayRefusal) drop(id);
      say(messageOf(error));
    }
  };

  const take = (record: ApprovalRecord): void => {
    const { id, expiresAtMs } = record;
    if (open.has(id)) return void resolve(id);
    const left = expiresAtMs - clock.now();
    if (left <= 0) return undefined;
    const stop = new AbortController();
    const cancel = clock.after(Math.min(left, longestTimer), () => drop(id));
    const entry: Open = {
      record,
      decision: null,
      withdraw: () => {
        cancel();
        stop.abort();
      },
    };
    open.set(id, entry);
    void decide(record, { parts, connection: () => connection, signal: stop.signal }).then(
      async (decision) => {
        // Withdrawn, expired or answered elsewhere: there is nothing to answer any more.
        if (open.get(id) !== entry) return undefined;
        entry.decision = decision;
        return resolve(id);
      },
    );
    return undefined;
  };

  return {
    onEvent: ({ event, payload }) => {
      if (event === 'exec.approval.requested') {
        const checked = checkRecord(payload);
        if (!checked.ok) return say(`OpenClaw asked in a way that is not known: ${checked.error}`);
        told.add(checked.value.id);
        take(checked.value);
      } else if (event === 'exec.approval.resolved') {
        const checked = checkResolved(payload);
        if (!checked.ok) return say(`OpenClaw told of an end that is not known: ${checked.error}`);
        told.add(checked.value.id);
        drop(checked.value.id);
      }
      return undefined;
    },
    attach: async (fresh) => {
      connection = fresh;
      told = new Set();
      const records = await listed(fresh);
      const waiting = new Set(records.map(({ id }) => id));
      for (const id of open.keys()) if (!waiting.has(id) && !told.has(id)) drop(id);
      for (const record of records) if (!told.has(record.id)) take(record);
    },
    detach: () => {
      connection = null;
    },
    dispose: () => {
      connection = null;
      for (const id of open.keys()) drop(id);
    },
  };
}
