import { previewOf, readRules } from '../../shared/agents/index.ts';
import { refuse } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import {
  choiceOf,
  judgeAddress,
  agentReach,
  modeBounds,
  rulesOf,
} from '../../shared/engine/index.ts';
import type {
  Ask,
  Config,
  Engine,
  NewRule,
  PolicyDocument,
  PolicyEdit,
  Rule,
} from '../../shared/engine/index.ts';
import type { HomePaths } from '../../shared/home/index.ts';
import { callJson } from '../../shared/ipc/index.ts';
import type { RunnerClient } from '../../shared/ipc/index.ts';
import { pause, resume } from '../../shared/operations/index.ts';
import type { HistoryBody, HistoryStatsBody } from '../../shared/wire/index.ts';
import { offers } from '../bridge/answering.ts';
import type { Answer, BridgeCalls } from '../bridge/types.ts';
import type { AskQueue } from './ask-queue.ts';
import { boxHandlers, nodeHandlers } from './machine-handlers.ts';
import type { BoxesOfRunner, NodesOfRunner } from './machine-handlers.ts';
import type { connectHandlers } from './connect-handlers.ts';
import type { DeviceWatch } from './device-door.ts';
import type { CallHandlers } from './dispatch.ts';
import { passkeyHandlers, requireProof } from './passkey-handlers.ts';
import type { PolicyController } from './policy-controller.ts';
import type { Simulator, Tester } from './rule-tester.ts';
import type { setupHandlers } from './setup-handlers.ts';
import type { starterHandlers } from './starter-handlers.ts';
import { lockOut, unlock } from './stop.ts';

const timeoutMs = 10_000;

/** One page of past decisions, newest first, from the runner's log. */
async function readHistory(
  socketPath: string,
  query: BridgeCalls['history']['args'],
): Promise<BridgeCalls['history']['result']> {
  const parameters = new URLSearchParams({
    offset: String(query.offset),
    limit: String(query.limit),
  });
  if (query.search !== undefined && query.search !== '') parameters.set('search', query.search);
  if (query.agent !== undefined) parameters.set('agent', query.agent);
  if (query.decision !== undefined) parameters.set('decision', query.decision);
  if (query.by !== undefined) parameters.set('by', query.by);
  if (query.since !== undefined) parameters.set('since', String(query.since));
  const path = `/v1/history?${parameters.toString()}`;
  const answer = (await callJson({ socketPath, timeoutMs, method: 'GET', path })) as HistoryBody;
  const { total, entries, more = false } = answer;
  // A runner of before says nothing of agents.
  const agents = answer.agents ?? [];
  return { total, entries, agents, ...(more && { more }) };
}

async function takeBack(
  runner: Pick<RunnerClient, 'undo'>,
  args: BridgeCalls['takeBack']['args'],
): Promise<BridgeCalls['takeBack']['result']> {
  const { ok: _ok, ...result } = await runner.undo(args);
  return result;
}

const statsDays = 30;

/** What happened day by day, from the runner's log. */
async function readHistoryStats(
  socketPath: string,
  { days = statsDays, agent }: BridgeCalls['historyStats']['args'],
): Promise<BridgeCalls['historyStats']['result']> {
  const parameters = new URLSearchParams({ days: String(days) });
  if (agent !== undefined) parameters.set('agent', agent);
  const path = `/v1/history/stats?${parameters.toString()}`;
  const answer = await callJson({ socketPath, timeoutMs, method: 'GET', path });
  const { days: told, needlessAfter, worthARule } = answer as HistoryStatsBody;
  return { days: told, needlessAfter, worthARule };
}

interface RuleHandlersOptions {
  readonly policy: Pick<PolicyController, 'drafted'>;
  readonly simulator: Simulator;
  readonly engine: Pick<Engine, 'checkRules'>;
  /** Throws a refusal while the settings are not valid. */
  readonly config: () => Config;
  readonly now: () => number;
}

/** The handlers of the calls about rules. None of them changes anything. */
export function ruleHandlers({
  policy,
  simulator,
  engine,
  config,
  now,
}: RuleHandlersOptions): Pick<
  CallHandlers,
  'importRules' | 'simulate' | 'effectOf' | 'suggestRule' | 'reach' | 'modeBounds'
> {
  const withDocument = <T extends { readonly draft?: PolicyEdit }>(args: T) => ({
    ...args,
    document: policy.drafted(args.draft),
  });
  return {
    importRules: async (args) => importPreview(args, withDocument(args).document, engine),
    simulate: (args) => simulator.simulate(withDocument(args)),
    modeBounds: ({ agent }) => modeBounds(config().managed, agent),
    reach: (args) => {
      const { agent, address, document } = withDocument(args);
      const settings = config();
      const rules = (document === null ? [] : rulesOf(document, agent)).filter(
        ({ expiresAt }) => (expiresAt ?? Infinity) > now(),
      );
      const verdict =
        address === undefined ? null : judgeAddress(settings, { agent, rules, address });
      return { reach: agentReach(settings, agent), verdict };
    },
    effectOf: (args) => simulator.effectOf(withDocument(args)),
    suggestRule: (args) => simulator.suggest(withDocument(args)),
  };
}

async function importPreview(
  { text, format, agent, folder }: BridgeCalls['importRules']['args'],
  document: PolicyDocument | null,
  engine: RuleHandlersOptions['engine'],
): Promise<BridgeCalls['importRules']['result']> {
  const parsed = readRules(text, { format, agent, folder });
  if (!parsed.ok)
    throw refuse('invalid-request', parsed.error, 'Choose another file, or say who wrote it.');
  return previewOf(parsed.imported, { document, check: await engine.checkRules() });
}

interface MadeAlways {
  readonly agent: string;
  readonly at: number;
  /** What it wrote; empty where it holds for a while and is in no file. */
  readonly rules: readonly NewRule[];
}

/** The longest that a runner takes to hear of an answer, in milliseconds. */
const heardWithinMs = 10_000;

/** How many answers can be undone; an older one is edited in the allowlist. */
const mostUndone = 50;

/** What the answers of this session have asked to be remembered, by the ask. */
function rememberedAlways() {
  const made = new Map<string, MadeAlways>();
  return {
    add: (id: string, always: MadeAlways): void => {
      made.set(id, always);
      for (const oldest of [...made.keys()].slice(0, -mostUndone)) made.delete(oldest);
    },
    take: (id: string): MadeAlways | null => {
      const found = made.get(id) ?? null;
      made.delete(id);
      return found;
    },
  };
}

/** Whether a rule of the file is the one that was proposed; the runner gave it an id and a time. */
function sameRule(proposed: NewRule, rule: Rule): boolean {
  const bare = ({ pattern, args, argPattern, cwd, env, writes, ...rest }: NewRule) => {
    const { kind, only, maxRisk, sha256, code, scripts, files } = rest;
    return JSON.stringify([
      pattern,
      args,
      argPattern,
      cwd,
      env,
      writes,
      kind,
      only,
      maxRisk,
      sha256,
      code,
      scripts,
      files,
    ]);
  };
  return bare(proposed) === bare(rule);
}

/** What is kept of an answer, and for whom; null where it holds once. */
function keptOf(
  { agent }: Ask,
  choice: NonNullable<ReturnType<typeof choiceOf>>,
): Omit<MadeAlways, 'at'> | null {
  if (choice.kind === 'never') return { agent, rules: choice.proposal.rules };
  if (choice.kind !== 'remember') return null;
  if (choice.duration !== 'always') return { agent, rules: [] };
  return { agent: choice.everyAgent ? '*' : agent, rules: choice.proposal.rules };
}

interface HandlersOptions {
  readonly paths: HomePaths;
  readonly uid: number;
  readonly clock: Clock;
  readonly asks: AskQueue;
  readonly policy: PolicyController;
  readonly tester: Pick<Tester, 'check'>;
  readonly runner: Pick<
    RunnerClient,
    | 'grants'
    | 'endGrant'
    | 'lockout'
    | 'pause'
    | 'resume'
    | 'changes'
    | 'undo'
    | 'passkeyNonce'
    | 'invitePasskey'
    | 'addPasskey'
    | 'removePasskey'
    | 'handOver'
  > &
    NodesOfRunner &
    BoxesOfRunner;
  /** Named secrets: what is known of them, never a value. */
  readonly secrets: {
    list(): Promise<BridgeCalls['secrets']['result']>;
    /** False where there is none of that name. */
    remove(name: string): Promise<boolean>;
  };
  readonly health: {
    check(): Promise<BridgeCalls['health']['result']['checks']>;
    mend(id: string): Promise<void>;
  };
  readonly rules: ReturnType<typeof ruleHandlers>;
  readonly setup: ReturnType<typeof setupHandlers>;
  readonly starters: ReturnType<typeof starterHandlers>;
  readonly connect: ReturnType<typeof connectHandlers>;
  readonly devices: Pick<DeviceWatch, 'invite' | 'revoke'>;
  /** Lockout or pause was changed: look at the state files and the runner again. */
  readonly onStop: () => void;
}

/** The handlers of the calls that answer asks, and take such an answer back. */
function answerHandlers({
  asks,
  clock,
  paths,
  uid,
  policy,
  runner,
}: HandlersOptions): Pick<CallHandlers, 'answer' | 'answerMany' | 'undoAlways'> {
  const always = rememberedAlways();
  const answer = (given: Answer): boolean => {
    const queued = asks.state().waiting.find(({ ask }) => ask.id === given.id);
    if (queued === undefined) return false;
    // Checked here too: a page may be old or wrong, and what was not offered ends the runner's session.
    if (offers(queued, given)) {
      const at = clock.now();
      const accepted = asks.answer(given);
      const choice = choiceOf(queued.ask, given);
      const kept = accepted && choice !== null ? keptOf(queued.ask, choice) : null;
      if (kept !== null) always.add(queued.ask.id, { ...kept, at });
      return accepted;
    }
    throw refuse(
      'invalid-request',
      'This answer is not among those that the request offers.',
      'Allow it once, or deny it.',
    );
  };
  /** The first that the agent was granted since the answer: a later answer is undone by its own name. */
  const endGrantOf = async ({ agent, at }: MadeAlways): Promise<number> => {
    const granted = (await runner.grants()).filter(
      (one) => one.agent === agent && one.grantedAt >= at && one.grantedAt < at + heardWithinMs,
    );
    const mine = granted.at(-1);
    return mine !== undefined && (await runner.endGrant(mine.id)) ? 1 : 0;
  };
  return {
    answer: async (args) => {
      await requireProof(args, { asks, paths, uid, clock });
      return { accepted: answer(args) };
    },
    answerMany: async ({ answers }) => {
      for (const each of answers) await requireProof(each, { asks, paths, uid, clock });
      return { accepted: answers.map(answer) };
    },
    undoAlways: async ({ id }) => {
      const made = always.take(id);
      if (made === null)
        throw refuse(
          'invalid-request',
          'It is not known any more what this answer has allowed.',
          'Look for it in the allowlist; rules from prompts say so.',
        );
      if (made.rules.length === 0) return { removed: await endGrantOf(made) };
      const isMeant = (rule: Rule): boolean =>
        (rule.source === 'allow-always' || rule.source === 'deny-always') &&
        (rule.createdAt ?? 0) >= made.at &&
        made.rules.some((one) => sameRule(one, rule));
      return { removed: await policy.remove(made.agent, isMeant) };
    },
  };
}

function notADevice(): never {
  throw refuse('invalid-request', 'This page is not on a device.', 'Its settings notify it.');
}

/** The handlers of all calls. */
export function createHandlers(options: HandlersOptions): CallHandlers {
  const { paths, uid, clock, policy, tester, runner, health, secrets, onStop } = options;
  const now = (): number => clock.now();
  const stopping = { runner, paths, now, by: 'person' };
  const thenLook = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } finally {
      onStop();
    }
  };

  return {
    ...options.rules,
    ...options.setup,
    ...options.starters,
    ...options.connect,
    ...passkeyHandlers({ paths, uid, clock, runner, thenLook }),
    ...nodeHandlers(runner),
    ...boxHandlers(runner),
    ...answerHandlers(options),
    policy: ({ have }) => policy.read(have),
    savePolicy: (args) => policy.save(args),
    testCommand: ({ agent, command, cwd, draft }) =>
      tester.check({ agent, command, cwd, document: policy.drafted(draft) }),
    // The page for devices takes them up before they come here.
    pushKey: () => notADevice(),
    subscribePush: () => notADevice(),
    inviteDevice: (args) => options.devices.invite(args, runner),
    revokeDevice: async ({ id }) => {
      await options.devices.revoke(id);
      return {};
    },
    history: (args) => readHistory(paths.runnerSocket, args),
    historyStats: (args) => readHistoryStats(paths.runnerSocket, args),
    changes: async (args) => ({ entries: await options.runner.changes(args) }),
    takeBack: async (args) => takeBack(options.runner, args),
    grants: async () => ({ grants: await runner.grants() }),
    endGrant: async ({ id }) => ({ ended: await thenLook(runner.endGrant(id)) }),
    secrets: async () => secrets.list(),
    removeSecret: async ({ name }) => {
      if (await secrets.remove(name)) return {};
      throw refuse(
        'invalid-request',
        `No secret "${name}" is kept here.`,
        'Somebody removed it before.',
      );
    },
    health: async () => ({ checks: await health.check() }),
    mend: async ({ id }) => {
      await health.mend(id);
      return { checks: await health.check() };
    },
    lockout: ({ reason }) => thenLook(lockOut({ runner, paths, uid, clock }, reason)),
    pause: async ({ reason }) => {
      await thenLook(pause(stopping, reason));
      return {};
    },
    resume: async () => {
      await thenLook(resume(stopping));
      return {};
    },
    unlock: (args) => thenLook(unlock({ paths, uid, clock }, args)),
  };
}
