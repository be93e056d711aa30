import { refuse } from '../../../shared/base/index.ts';
import { isRunner } from '../../../shared/engine/index.ts';
import type { Rule } from '../../../shared/engine/index.ts';
import type { CheckBody, PermitBody } from '../../../shared/wire/index.ts';
import { answerOf, callFields, checkedYes } from '../asking.ts';
import type { AskingAgent, AskingClient } from '../asking.ts';
import type { Id, Message } from '../relay/message.ts';
import { keepRecent } from '../relay/relay.ts';
import type { Fate } from '../relay/relay.ts';
import type { Gateway } from '../relay/serve.ts';
import {
  checkCommand,
  checkFileChange,
  checkFileItem,
  checkFolder,
  checkPermissions,
  checkResolved,
  checkStarted,
  checkThread,
  commandQuestion,
  fileQuestion,
  permissionsQuestion,
} from './question.ts';
import type { CodexQuestion, FileChange } from './question.ts';

/** Fields of a rule that Codex's own rules can carry, or that do not narrow it. */
const carried: ReadonlySet<string> = new Set(
  (
    'id effect kind pattern args source note createdAt examples ' +
    'lastUsedAt uses lastUsedCommand lastResolvedPath'
  ).split(' '),
);

/**
 * The prefix that Codex may keep for a command, so that it need not ask again: never wider than the
 * rule that the person's "always" made, and only while no other rule holds anything back, because
 * Codex then runs such commands without asking the gate. Null where that cannot be said.
 */
export function amendmentFor(
  { verdict, reason, analysis }: CheckBody,
  rules: readonly Rule[],
): readonly string[] | null {
  if (verdict !== 'allow' || reason !== 'rule-allow' || !analysis.ok) return null;
  const [stage, ...others] = analysis.stages;
  if (stage === undefined || others.length > 0) return null;
  const rule = rules.find(({ id }) => id === stage.ruleId);
  if (rule?.source !== 'allow-always' || !isCarried(rule)) return null;
  if (rules.some(({ effect, kind = 'exec' }) => kind === 'exec' && (effect ?? 'allow') !== 'allow'))
    return null;
  const [program] = stage.argv;
  const words = prefixOf(rule);
  if (program === undefined || words === null || isRunner(nameOf(program))) return null;
  const prefix = [program, ...words];
  return prefix.every((word, index) => word === stage.argv[index]) ? prefix : null;
}

function isCarried(rule: Rule): boolean {
  if ((rule.effect ?? 'allow') !== 'allow' || (rule.kind ?? 'exec') !== 'exec') return false;
  return Object.entries(rule).every(
    ([field, value]) => carried.has(field) || value === undefined || value === null,
  );
}

/** The literal words before "anything after"; null for a rule that a prefix would widen. */
function prefixOf({ args }: Rule): readonly string[] | null {
  if (args === undefined) return [];
  const words = args.slice(0, -1);
  if (args.at(-1) !== '...') return null;
  const isPlain = (word: unknown): word is string =>
    typeof word === 'string' && /^[A-Za-z0-9][A-Za-z0-9_.:@-]*$/.test(word);
  return words.every(isPlain) ? words : null;
}

function nameOf(program: string): string {
  return program.slice(program.lastIndexOf('/') + 1);
}

export interface CodexParts {
  readonly client: Pick<AskingClient, 'permit' | 'tool'>;
  readonly speaker: AskingAgent;
  /** Where Codex was started. */
  readonly cwd: string;
  /** A rule that Codex may keep for a command that a person allowed for good; null for none. */
  readonly amend: (
    command: string,
    cwd: string,
    yes: PermitBody,
  ) => Promise<readonly string[] | null>;
  readonly toAgent: (message: object) => void;
}

type Request = Extract<Message, { kind: 'request' }>;

/** What is to be answered, and in which words of Codex. */
interface Approval {
  readonly threadId: string;
  readonly itemId: string;
  readonly reason: string | null;
  readonly cwd: string | null;
  readonly question: CodexQuestion | null;
  readonly yes: (amendment: readonly string[] | null) => object;
  readonly no: object;
  /** When the turn was interrupted. */
  readonly interrupted: object;
}

interface Open {
  readonly threadId: string;
  readonly stop: AbortController;
  isResolved: boolean;
}

const decline = { decision: 'decline' } as const;
const cancel = { decision: 'cancel' } as const;
const mostThreads = 200;
const mostItems = 200;

/** What a request for approval asks; null where it is not understood. */
function approvalOf(
  { method, params }: Request,
  changesOf: (threadId: string, itemId: string) => readonly FileChange[] | null,
): Approval | null {
  if (method === 'item/commandExecution/requestApproval') {
    const checked = checkCommand(params);
    if (!checked.ok) return null;
    const { threadId, itemId, reason = null, cwd = null } = checked.value;
    const yes = (amendment: readonly string[] | null): object => ({
      decision:
        amendment === null
          ? 'accept'
          : { acceptWithExecpolicyAmendment: { execpolicy_amendment: amendment } },
    });
    const question = commandQuestion(checked.value);
    return { threadId, itemId, reason, cwd, question, yes, no: decline, interrupted: cancel };
  }
  if (method === 'item/fileChange/requestApproval') {
    const checked = checkFileChange(params);
    if (!checked.ok) return null;
    const { threadId, itemId, reason = null } = checked.value;
    const question = fileQuestion(changesOf(threadId, itemId), checked.value);
    const yes = (): object => ({ decision: 'accept' });
    const words = { yes, no: decline, interrupted: cancel };
    return { threadId, itemId, reason, cwd: null, question, ...words };
  }
  const checked = checkPermissions(params);
  if (!checked.ok) return null;
  const { threadId, itemId, reason = null, cwd = null, permissions } = checked.value;
  const none = { permissions: {}, scope: 'turn' };
  const yes = (): object => ({ permissions, scope: 'turn' });
  const question = permissionsQuestion(permissions);
  return { threadId, itemId, reason, cwd, question, yes, no: none, interrupted: none };
}

interface Deciding {
  readonly parts: Pick<CodexParts, 'client' | 'speaker' | 'amend'>;
  readonly cwd: string;
  readonly signal: AbortSignal;
}

/** Asks the gate; the answer is in the words of Codex. */
async function decide(approval: Approval, { parts, cwd, signal }: Deciding): Promise<object> {
  const { threadId, itemId, reason, question } = approval;
  const said = await answerOf(async () => {
    if (question === null) throw refuse('invalid-request', 'It names no command.', '');
    const fields = callFields(
      { session: threadId, toolUseId: itemId, statedReason: reason, cwd },
      parts.speaker,
    );
    if (question.kind === 'tool') {
      const ask = question.mustAsk ? { ask: 'always' as const } : {};
      checkedYes(await parts.client.tool({ ...question.call, ...fields, ...ask }, signal));
      return null;
    }
    const request = { command: question.command, ...fields, by: 'elsewhere' as const };
    const yes = checkedYes(await parts.client.permit(request, signal));
    return parts.amend(question.command, cwd, yes).catch(() => null);
  });
  return said.kind === 'allowed' ? approval.yes(said.value) : approval.no;
}

/** The gate between Codex's app-server and its client: answers requests for approval in their place. */
export function createCodexGateway(parts: CodexParts): Gateway {
  const { toAgent } = parts;
  const open = new Map<Id, Open>();
  const starting = new Map<Id, string>();
  const folders = new Map<string, string>();
  const files = new Map<string, readonly FileChange[]>();

  const changesOf = (threadId: string, itemId: string): readonly FileChange[] | null =>
    files.get(JSON.stringify([threadId, itemId])) ?? null;
  const handle = (request: Request): void => {
    const { id, method } = request;
    const approval = approvalOf(request, changesOf);
    if (approval === null) return toAgent({ id, result: noTo(method) });
    const entry: Open = {
      threadId: approval.threadId,
      stop: new AbortController(),
      isResolved: false,
    };
    open.set(id, entry);
    const cwd = approval.cwd ?? folders.get(approval.threadId) ?? parts.cwd;
    void decide(approval, { parts, cwd, signal: entry.stop.signal }).then((result) => {
      open.delete(id);
      // Answered elsewhere: a second answer would be for nothing that is open.
      if (entry.isResolved) return undefined;
      return toAgent({ id, result: entry.stop.signal.aborted ? approval.interrupted : result });
    });
    return undefined;
  };

  const learn = (message: Message): void => {
    if (message.kind === 'response') {
      const cwd = starting.get(message.id);
      const started = checkStarted(message.result);
      const folder = started.ok ? (started.value.cwd ?? cwd) : undefined;
      if (started.ok && folder !== undefined)
        keepRecent(folders, started.value.thread.id, folder, mostThreads);
      starting.delete(message.id);
    } else if (message.kind === 'notification' && message.method.startsWith('item/')) {
      const item = checkFileItem(message.params);
      if (item.ok) {
        const { threadId, item: told } = item.value;
        keepRecent(files, JSON.stringify([threadId, told.id]), told.changes, mostItems);
      }
    } else if (message.kind === 'notification' && message.method === 'serverRequest/resolved') {
      const resolved = checkResolved(message.params);
      const entry = resolved.ok ? open.get(resolved.value.requestId) : undefined;
      if (entry !== undefined) {
        entry.isResolved = true;
        entry.stop.abort();
      }
    }
  };

  return {
    fromAgent: (message): Fate => {
      learn(message);
      if (message.kind === 'unclear' || message.kind === 'response') return 'pass';
      const fate = fateOf(message.method);
      if (fate === 'pass') return 'pass';
      if (message.kind !== 'request' || open.has(message.id)) return 'keep';
      if (fate === 'ask') handle(message);
      else toAgent({ id: message.id, result: { decision: fate } });
      return 'keep';
    },
    fromClient: (message): Fate => {
      if (message.kind === 'response') return open.has(message.id) ? 'keep' : 'pass';
      if (message.kind !== 'request') return 'pass';
      if (message.method === 'turn/interrupt') {
        const thread = checkThread(message.params);
        for (const { threadId, stop } of open.values())
          if (thread.ok && threadId === thread.value.threadId) stop.abort();
      } else if (message.method.startsWith('thread/')) {
        const folder = checkFolder(message.params);
        if (folder.ok) keepRecent(starting, message.id, folder.value.cwd, mostThreads);
      }
      return 'pass';
    },
    dispose: () => {
      for (const { stop } of open.values()) stop.abort();
    },
  };
}

/** The answer to a request that is not understood. */
function noTo(method: string): object {
  return method.includes('permissions') ? { permissions: {} } : decline;
}

/**
 * Requests of this release are asked about. Others are answered with a no in their own words: a
 * client would have to decide about them without the gate.
 */
function fateOf(method: string): 'ask' | 'decline' | 'denied' | 'pass' {
  if (/^item\/(?:commandExecution|fileChange|permissions)\/requestApproval$/.test(method))
    return 'ask';
  if (!/approval$/i.test(method)) return 'pass';
  return method.startsWith('item/') ? 'decline' : 'denied';
}
