import { writing } from '../../../shared/agents/index.ts';
import { refuse } from '../../../shared/base/index.ts';
import type { Refusal } from '../../../shared/base/index.ts';
import { answerOf, callFields, checkedYes, redeemWords, refusalText, ticketOf } from '../asking.ts';
import type { AskingAgent, AskingClient, CommandLineProgram } from '../asking.ts';
import type { Id, Message } from '../relay/message.ts';
import { keepRecent } from '../relay/relay.ts';
import type { Fate } from '../relay/relay.ts';
import { askOf, contentsOf } from './question.ts';
import type { AcpAsk } from './question.ts';
import {
  checkCancelled,
  checkFolder,
  checkPermission,
  checkSession,
  checkTerminal,
  checkToolCallUpdate,
  checkWriteFile,
} from './schemas.ts';
import type { PermissionOption, ToolCallPart } from './schemas.ts';

/** What was told about sessions and tool calls before a permission is asked for. */
interface AcpMemory {
  folderOf(sessionId: string): string | null;
  keepFolder(sessionId: string, cwd: string): void;
  /** The call with all that was told of it so far; what this part says wins. */
  merge(sessionId: string, part: ToolCallPart): ToolCallPart;
  /** A file's content that was allowed; taken out by the one write that has exactly it. */
  allowWrite(sessionId: string, path: string, content: string): void;
  takeWrite(sessionId: string, path: string, content: string): boolean;
}

/** Entries of each kind that are kept; the oldest go first. */
const mostEntries = 1_000;
const mostWrites = 50;

export function createAcpMemory(): AcpMemory {
  const folders = new Map<string, string>();
  const calls = new Map<string, ToolCallPart>();
  const writes = new Map<string, string>();
  return {
    folderOf: (sessionId) => folders.get(sessionId) ?? null,
    keepFolder: (sessionId, cwd) => keepRecent(folders, sessionId, cwd, mostEntries),
    merge: (sessionId, part) => {
      const key = JSON.stringify([sessionId, part.toolCallId]);
      const told = Object.entries(part).filter(
        ([, value]) => value !== undefined && value !== null,
      );
      const merged = { ...calls.get(key), ...Object.fromEntries(told) } as ToolCallPart;
      keepRecent(calls, key, merged, mostEntries);
      return merged;
    },
    allowWrite: (sessionId, path, content) =>
      keepRecent(writes, JSON.stringify([sessionId, path]), content, mostWrites),
    takeWrite: (sessionId, path, content) => {
      const key = JSON.stringify([sessionId, path]);
      return writes.get(key) === content && writes.delete(key);
    },
  };
}

/** What an agent is told about its request. */
type Outcome =
  | { readonly outcome: { readonly outcome: 'selected'; readonly optionId: string } }
  | { readonly outcome: { readonly outcome: 'cancelled' } };

const cancelled: Outcome = { outcome: { outcome: 'cancelled' } };

/**
 * The option for an answer: once, never always, so that the next use passes the gate again. An
 * option is only taken when its id means nothing else; without one that fits, nothing is approved.
 */
function outcomeFor(isAllowed: boolean, options: readonly PermissionOption[]): Outcome {
  const kind = isAllowed ? 'allow_once' : 'reject_once';
  const rest = isAllowed ? outcomeFor(false, options) : cancelled;
  const option = options.find((each) => each.kind === kind);
  if (option === undefined) return rest;
  const isAmbiguous = options.some(
    (each) => each.optionId === option.optionId && each.kind !== kind,
  );
  return isAmbiguous ? rest : { outcome: { outcome: 'selected', optionId: option.optionId } };
}

/** Whether an outcome approves, whatever the gate had said. */
function approves(outcome: Outcome, options: readonly PermissionOption[]): boolean {
  const { outcome: chosen } = outcome;
  if (chosen.outcome !== 'selected') return false;
  return options.some(
    ({ optionId, kind }) => optionId === chosen.optionId && kind === 'allow_once',
  );
}

interface AcpParts {
  readonly client: Pick<AskingClient, 'permit' | 'tool'>;
  readonly speaker: AskingAgent;
  readonly program: CommandLineProgram;
  readonly memory: AcpMemory;
  readonly toAgent: (message: object) => void;
  readonly toClient: (message: object) => void;
}

/** The gate between an agent and an editor: looks at every message, answers some in their place. */
interface AcpGateway {
  fromAgent(message: Message): Fate;
  fromClient(message: Message): Fate;
  /** Takes every ask back. */
  dispose(): void;
}

type Request = Extract<Message, { kind: 'request' }>;

interface Open {
  readonly sessionId: string;
  readonly stop: AbortController;
}

/** What an answer to one request needs. */
interface AcpContext extends AcpParts {
  /** Asks that an answer is owed to. */
  readonly open: Map<Id, Open>;
}

type Answering = (request: Request, acp: AcpContext) => void;

/** What only the gate may answer. */
const gated: Readonly<Record<string, Answering>> = {
  'session/request_permission': permission,
  'terminal/create': terminal,
  'fs/write_text_file': write,
};

export function createAcpGateway(parts: AcpParts): AcpGateway {
  const { memory } = parts;
  const open = new Map<Id, Open>();
  /** Folders of sessions that the editor asked for and that have no id yet. */
  const starting = new Map<Id, string>();

  const learn = (message: Message): void => {
    if (message.kind === 'response') {
      const cwd = starting.get(message.id);
      const session = checkSession(message.result);
      if (starting.delete(message.id) && cwd !== undefined && session.ok)
        memory.keepFolder(session.value.sessionId, cwd);
    } else if (message.kind === 'notification' && message.method === 'session/update') {
      const checked = checkToolCallUpdate(message.params);
      if (checked.ok) memory.merge(checked.value.sessionId, checked.value.update);
    } else if (message.kind === 'notification' && message.method === '$/cancel_request') {
      const checked = checkCancelled(message.params);
      if (checked.ok) open.get(checked.value.requestId)?.stop.abort();
    }
  };

  return {
    fromAgent: (message) => {
      learn(message);
      const handle =
        message.kind === 'unclear' || message.kind === 'response'
          ? undefined
          : gatedOf(gated, message.method);
      if (handle === undefined) return 'pass';
      // As a notification it would not wait for an answer, so it is not a request for one either.
      // An id that is still open belongs to the ask that has it.
      if (message.kind === 'request' && !open.has(message.id)) handle(message, { ...parts, open });
      return 'keep';
    },
    fromClient: (message) => {
      // An answer to what only the gate may answer reaches the agent from here alone.
      if (message.kind === 'response') return open.has(message.id) ? 'keep' : 'pass';
      if (message.kind === 'unclear') return 'pass';
      const session = checkSession(message.params);
      if (message.method === 'session/cancel' && session.ok) {
        for (const { sessionId, stop } of open.values())
          if (sessionId === session.value.sessionId) stop.abort();
      } else if (message.kind === 'request') {
        const folder = checkFolder(message.params);
        if (folder.ok && session.ok) memory.keepFolder(session.value.sessionId, folder.value.cwd);
        else if (folder.ok) starting.set(message.id, folder.value.cwd);
      }
      return 'pass';
    },
    dispose: () => {
      for (const { stop } of open.values()) stop.abort();
    },
  };
}

function permission({ id, params }: Request, acp: AcpContext): void {
  const checked = checkPermission(params);
  if (!checked.ok) return answer(acp, id, cancelled);
  const { sessionId, options } = checked.value;
  return during(acp, { id, sessionId }, async (signal) => {
    const { part, ...ask } = askOf(checked.value, (given) => acp.memory.merge(sessionId, given));
    const { question } = ask;
    const said = await answerOf(async () => {
      const fields = fieldsFor(acp, sessionId, {
        cwd: question.kind === 'tool' ? null : question.cwd,
        ask,
      });
      if (question.kind === 'tool')
        return checkedYes(await acp.client.tool({ ...question.call, ...fields }, signal));
      const { kind: _kind, cwd: _cwd, ...command } = question;
      return checkedYes(
        await acp.client.permit({ ...command, ...fields, by: 'elsewhere' }, signal),
      );
    });
    if (signal.aborted) return answer(acp, id, cancelled);
    const outcome = outcomeFor(said.kind === 'allowed', options);
    if (part !== null && approves(outcome, options))
      for (const { path, text } of contentsOf(part)) acp.memory.allowWrite(sessionId, path, text);
    return answer(acp, id, outcome);
  });
}

/** The editor's terminal gets the one command that the ticket stands for: the runner runs it. */
function terminal({ id, method, params }: Request, acp: AcpContext): void {
  const checked = checkTerminal(params);
  if (!checked.ok) return refuseTo(acp, id, wrong(checked.error));
  const { sessionId, command, args, env, cwd } = checked.value;
  return during(acp, { id, sessionId }, async (signal) => {
    const said = await answerOf(async () => {
      const fields = fieldsFor(acp, sessionId, { cwd: cwd ?? null });
      const what = (args ?? []).length > 0 ? { argv: [command, ...(args ?? [])] } : { command };
      const variables = Object.fromEntries((env ?? []).map(({ name, value }) => [name, value]));
      const request = { ...what, ...fields, ...(env?.length && { env: variables }) };
      const ticket = ticketOf(await acp.client.permit(request, signal));
      const [program = '', ...words] = redeemWords(acp.program, ticket);
      return { command: program, args: words, env: [], cwd: fields.cwd };
    });
    if (said.kind === 'refused') return refuseTo(acp, id, said.refusal);
    if (signal.aborted) return refuseTo(acp, id, wrong('The turn was cancelled.'));
    const rewritten = { ...(params as object), ...said.value };
    return acp.toClient({ jsonrpc: '2.0', id, method, params: rewritten });
  });
}

function write({ id, method, params }: Request, acp: AcpContext): void {
  const checked = checkWriteFile(params);
  if (!checked.ok) return refuseTo(acp, id, wrong(checked.error));
  const { sessionId, path, content } = checked.value;
  const forward = (): void => acp.toClient({ jsonrpc: '2.0', id, method, params });
  if (acp.memory.takeWrite(sessionId, path, content)) return forward();
  return during(acp, { id, sessionId }, async (signal) => {
    const said = await answerOf(async () => {
      const call = writing('write_text_file', path, content);
      const fields = fieldsFor(acp, sessionId, { cwd: null });
      return checkedYes(await acp.client.tool({ ...call, ...fields }, signal));
    });
    if (said.kind === 'refused') return refuseTo(acp, id, said.refusal);
    return signal.aborted ? refuseTo(acp, id, wrong('The turn was cancelled.')) : forward();
  });
}

function answer({ toAgent }: AcpContext, id: Id, result: object): void {
  toAgent({ jsonrpc: '2.0', id, result });
}

function refuseTo({ toAgent }: AcpContext, id: Id, refusal: Refusal): void {
  const error = { code: -32_000, message: refusalText(refusal), data: { refusal } };
  toAgent({ jsonrpc: '2.0', id, error });
}

/** Runs one ask of a session, so that it can be taken back. */
function during(
  { open }: AcpContext,
  { id, sessionId }: { readonly id: Id; readonly sessionId: string },
  work: (signal: AbortSignal) => Promise<void>,
): void {
  const entry: Open = { sessionId, stop: new AbortController() };
  open.set(id, entry);
  void work(entry.stop.signal).finally(() => {
    if (open.get(id) === entry) open.delete(id);
  });
}

function fieldsFor(
  { memory, speaker }: AcpContext,
  sessionId: string,
  { cwd, ask = {} }: { readonly cwd: string | null; readonly ask?: Partial<AcpAsk> },
) {
  const folder = cwd ?? memory.folderOf(sessionId);
  if (folder === null)
    throw refuse(
      'invalid-request',
      'The agent names no working folder.',
      'Start a session with a "cwd" first.',
    );
  const context = {
    session: sessionId,
    toolUseId: ask.toolCallId ?? null,
    statedReason: ask.statedReason ?? null,
    cwd: folder,
  };
  return callFields(context, speaker);
}

function gatedOf<T>(table: Readonly<Record<string, T>>, method: string): T | undefined {
  return Object.hasOwn(table, method) ? table[method] : undefined;
}

function wrong(sentence: string): Refusal {
  return refuse('invalid-request', sentence, 'Nothing was allowed.').refusal;
}
