import type {
  AppState,
  Bridge,
  BridgeCalls,
  GrantEntry,
  BoxInfo,
  NodeInfo,
  PolicyView,
} from '../../app/bridge/types.ts';
import { withPatch } from '../../shared/engine/index.ts';
import type { PolicyDocument } from '../../shared/engine/index.ts';
import type { Connection, Link } from '../../app/renderer/state/connection.ts';
import type { GuideStep } from '../../app/bridge/types.ts';
import { queuedOf, start } from './sample-asks.ts';
import {
  connectableWith,
  effectOf,
  guideWith,
  hookDiff,
  monthOf,
  previewOf,
  reachOf,
  someSecrets,
  simulationOf,
  someSettings,
  starterOf,
  suggestionOf,
} from './canned-answers.ts';
import {
  changesOf,
  takenBackOf,
  healthChecks,
  historyPageOf,
  policyWith,
  viewOfPolicy,
} from './records.ts';
import { guided } from './sample-asks.ts';
import { testOf } from './canned-answers.ts';
import { fakeTerminal } from './fake-terminal.ts';
import type { FakeTerminal } from './fake-terminal.ts';

export interface Scenario {
  readonly state: AppState;
  /** Absent: seven rules of claude's. */
  readonly policy?: PolicyView;
  readonly link?: Link;
  /** Somebody else saves this while the page edits. */
  readonly elsewhere?: PolicyView;
  /** Newest decisions in the history. */
  readonly decisions?: number;
  /** Answers are refused as too late. */
  readonly tooLate?: boolean;
  /** Other machines; absent: none, and none is listened for. */
  readonly nodes?: BridgeCalls['nodes']['result'];
  /** The policy that nodes show; absent: they show none. */
  readonly nodePolicy?: BridgeCalls['nodePolicy']['result'];
  /** The person there saves this while the page edits. */
  readonly nodeElsewhere?: PolicyDocument;
  /** What windows of boxes wrote, by their names. */
  readonly boxLines?: Readonly<Record<string, readonly string[]>>;
  /** What the terminal of a box shows at first; absent: nothing. */
  readonly terminal?: string;
  /** Named boxes; absent: none. */
  readonly boxes?: BridgeCalls['boxes']['result']['boxes'];
  /** What was allowed for a while; absent: nothing. */
  readonly grants?: readonly GrantEntry[];
  /** How loose the modes may be at most; absent: nobody bounds them. */
  readonly bounds?: BridgeCalls['modeBounds']['result'];
  /** Steps of the guide that are to be done; absent: all is set up. */
  readonly openSteps?: readonly GuideStep[];
}

/** What the gallery leaves in its window for specs. */
export interface GalleryWindow {
  /** Pushes a changed state, as the host would. */
  pushState: (change: (state: AppState) => AppState) => void;
  /** Every call that the page made. */
  calls: readonly { readonly name: string; readonly args: unknown }[];
  /** The terminal of a box. */
  terminal: FakeTerminal;
  /** The policy as it is saved. */
  savedPolicy: () => PolicyDocument | null;
}

function statusOf({ hash, problem }: PolicyView): AppState['policy'] {
  return { hash, problem };
}

function stoppedBox(box: BoxInfo): BoxInfo {
  return { ...box, state: 'stopped', startedAt: null, windows: null, attached: 0 };
}

/** A connection to nothing: canned data, answers that take asks away, and a record of all calls. */
export function fakeConnection(scenario: Scenario): Connection {
  let policy = scenario.policy ?? viewOfPolicy(policyWith(0), 'first');
  let state = { ...scenario.state, policy: statusOf(policy) };
  let { elsewhere } = scenario;
  const listeners = new Set<(state: AppState) => void>();
  let openSteps = scenario.openSteps ?? [];
  let grants = scenario.grants ?? [];
  let nodes = scenario.nodes ?? {
    listening: null,
    calls: [],
    problem: null,
    nodes: [],
    gateways: [],
    waiting: [],
    own: null,
  };
  let { nodePolicy, nodeElsewhere } = scenario;
  let boxes = scenario.boxes ?? [];
  const terminals = fakeTerminal(scenario.terminal ?? '');
  const calls: { name: string; args: unknown }[] = [];
  const push = (change: (state: AppState) => AppState): void => {
    state = { ...change(state), revision: state.revision + 1 };
    for (const listener of listeners) listener(state);
  };
  const answer = ({ id }: { readonly id: string }): boolean => {
    if (scenario.tooLate === true) return false;
    openSteps = openSteps.filter((step) => step !== 'first-ask');
    push((old) => ({ ...old, queue: old.queue.filter(({ ask }) => ask.id !== id) }));
    return true;
  };
  const mode = (next: 'armed' | 'paused' | 'locked', reason: string | null): void =>
    push((old) => ({
      ...old,
      queue: next === 'armed' ? old.queue : [],
      runner: { mode: next, reason, running: 0, pending: 0, policyProblem: null },
    }));

  const handlers: {
    [C in keyof BridgeCalls]: (
      args: BridgeCalls[C]['args'],
    ) => BridgeCalls[C]['result'] | Promise<BridgeCalls[C]['result']>;
  } = {
    answer: (args) => ({ accepted: answer(args) }),
    answerMany: ({ answers }) => ({ accepted: answers.map(answer) }),
    undoAlways: () => ({ removed: 1 }),
    policy: () => policy,
    savePolicy: ({ patch }) => {
      const edited = policy.document === null ? null : withPatch(policy.document, patch);
      if (edited === null) throw new Error('The patch does not fit the policy.');
      policy = viewOfPolicy(edited, `saved-${state.revision}`);
      push((old) => ({ ...old, policy: statusOf(policy) }));
      return { hash: policy.hash };
    },
    testCommand: testOf,
    history: (query) => historyPageOf(query, scenario.decisions ?? 0),
    health: () => ({ checks: healthChecks(false) }),
    mend: () => ({ checks: healthChecks(true) }),
    lockout: ({ reason }) => {
      mode('locked', reason);
      return {
        stopped: 2,
        keysRotated: 3,
        tokenRotated: true,
        withdrawn: 1,
        left: 0,
        problems: [],
      };
    },
    pause: ({ reason }) => {
      mode('paused', reason);
      return {};
    },
    resume: () => {
      mode('armed', null);
      return {};
    },
    unlock: () => {
      mode('armed', null);
      return {};
    },
    secrets: () => ({
      sentence: "Secrets are kept in the system's keychain.",
      secrets: someSecrets(start),
    }),
    removeSecret: () => ({}),
    nodes: () => nodes,
    approveNode: ({ code }) => {
      const met = nodes.waiting.find((one) => one.code === code);
      if (met === undefined) throw new Error('No machine waits with this code.');
      const { id, displayName, version, policyHash } = met;
      const node: NodeInfo = {
        id,
        displayName,
        version,
        policyHash,
        state: 'approved',
        online: false,
        pairedAt: start,
        lastSeenAt: null,
        lastAddress: null,
      };
      nodes = {
        ...nodes,
        nodes: [...nodes.nodes, node],
        waiting: nodes.waiting.filter((one) => one !== met),
      };
      return { node };
    },
    declineNode: ({ code }) => {
      nodes = { ...nodes, waiting: nodes.waiting.filter((one) => one.code !== code) };
      return {};
    },
    nodePolicy: () => {
      if (nodePolicy !== undefined) return nodePolicy;
      throw new Error('This node does not show its policy to its gateway.');
    },
    saveNodePolicy: ({ edit }) => {
      if (nodePolicy === undefined) throw new Error('It shows none.');
      const document = withPatch(nodePolicy.document, edit.patch);
      if (document === null) throw new Error('The patch does not fit the policy.');
      nodePolicy = { ...nodePolicy, document, hash: 'f'.repeat(64) };
      return { hash: nodePolicy.hash };
    },
    removeNode: ({ node: id }) => {
      const removed = nodes.nodes.map((one): NodeInfo =>
        one.id === id ? { ...one, state: 'removed', online: false } : one,
      );
      nodes = { ...nodes, nodes: removed };
      const node = removed.find((one) => one.id === id);
      if (node === undefined) throw new Error('There is no such machine.');
      return { node };
    },
    ...terminals.handlers,
    boxes: () => ({ boxes }),
    boxTail: ({ window }) => ({ lines: scenario.boxLines?.[window] ?? [] }),
    startBox: ({ name }) => {
      const started = { state: 'running', startedAt: start } as const;
      boxes = boxes.map((one) => (one.name === name ? { ...one, ...started } : one));
      return {};
    },
    stopBox: ({ name }) => {
      boxes = boxes.map((one) => (one.name === name ? stoppedBox(one) : one));
      return { notes: [`${name}/.git was moved aside.`] };
    },
    lockBox: ({ name }) => {
      boxes = boxes.map((one) => (one.name === name ? { ...stoppedBox(one), locked: true } : one));
      return { notes: [] };
    },
    passkeyNonce: () => ({ nonce: 'A'.repeat(43) }),
    addPasskey: () => ({}),
    removePasskey: () => ({}),
    handOver: () => ({}),
    inviteDevice: () => ({
      address: `https://desk.home.example:7443/#pair=${'A'.repeat(43)}`,
      until: start + 10 * 60_000,
      authority: 'mkcert ada@desk',
    }),
    revokeDevice: () => ({}),
    pushKey: () => ({ key: '' }),
    subscribePush: () => ({}),
    unlockWithPasskey: () => {
      mode('armed', null);
      return {};
    },
    settings: () => state.settings ?? someSettings,
    changeSettings: ({ choice }) => {
      const old = state.settings ?? someSettings;
      const settings = { ...old, settings: { ...old.settings, ...choice } };
      push((before) => ({ ...before, settings }));
      return settings;
    },
    importRules: previewOf,
    simulate: simulationOf,
    modeBounds: () => scenario.bounds ?? { security: null, ask: null },
    reach: reachOf,
    effectOf,
    suggestRule: suggestionOf,
    historyStats: () => monthOf((scenario.decisions ?? 0) > 0),
    starterFolders: () => ({ folders: ['/home/ana/src/app'] }),
    starter: (args) => starterOf(args, policy.document, state.now),
    addStarter: () => {
      openSteps = openSteps.filter((step) => step !== 'starter');
      return { rules: 32 };
    },
    changes: ({ id }) => changesOf(id, (scenario.decisions ?? 0) > 0),
    takeBack: takenBackOf,
    grants: () => ({ grants }),
    endGrant: ({ id }) => {
      grants = grants.filter((grant) => grant.id !== id);
      push((old) => {
        const elevated = old.runner?.elevated?.filter((one) => one.id !== id);
        return old.runner === null || elevated === undefined
          ? old
          : { ...old, runner: { ...old.runner, elevated } };
      });
      return { ended: true };
    },
    connectable: () => connectableWith(openSteps.includes('agent')),
    connectPreview: () => ({ diff: hookDiff, digest: '0'.repeat(64) }),
    connect: () => {
      openSteps = openSteps.filter((step) => step !== 'agent');
      return {
        said: ['Wrote /home/ana/.claude/settings.json', 'Behind the gate: shell, edit, fetch, mcp'],
      };
    },
    guide: () => guideWith(openSteps),
    setPassphrase: () => {
      openSteps = openSteps.filter((step) => step !== 'passphrase');
      return {};
    },
    tryAsk: () => {
      push((old) => ({ ...old, queue: [...old.queue, queuedOf(guided)] }));
      return { askId: guided.id, command: guided.command, expiresAt: guided.expiresAt };
    },
    openInBrowser: () => ({ address: 'http://localhost:8077/' }),
    startRunner: () => {
      openSteps = openSteps.filter((step) => step !== 'runner');
      mode('armed', null);
      return { how: 'service' };
    },
  };

  const bridge: Bridge = {
    subscribe: (listener) => {
      listeners.add(listener);
      listener(state);
      return () => listeners.delete(listener);
    },
    onConnection: () => () => undefined,
    call: async (name, args) => {
      calls.push({ name, args });
      if (name === 'saveNodePolicy' && nodePolicy !== undefined && nodeElsewhere !== undefined) {
        nodePolicy = { ...nodePolicy, document: nodeElsewhere, hash: 'e'.repeat(64) };
        nodeElsewhere = undefined;
        return {
          ok: false,
          refusal: { code: 'binding-drift', message: 'It was changed meanwhile.', hint: 'Look.' },
          conflict: { hash: '', problem: null },
        };
      }
      if (name === 'savePolicy' && elsewhere !== undefined) {
        policy = elsewhere;
        elsewhere = undefined;
        return {
          ok: false,
          refusal: { code: 'binding-drift', message: 'The policy was changed.', hint: '' },
          conflict: statusOf(policy),
        };
      }
      return { ok: true, result: await handlers[name](args) };
    },
  };
  Object.assign(window, {
    pushState: push,
    calls,
    terminal: terminals.terminal,
    savedPolicy: () => policy.document,
  } satisfies GalleryWindow);
  return {
    bridge,
    again: () => undefined,
    enter: () => undefined,
    onLink: (listener) => {
      listener(scenario.link ?? 'open');
      return () => undefined;
    },
  };
}
