import type { Ask } from '../../shared/engine/index.ts';
import type { AppState, BoxInfo } from '../../app/bridge/types.ts';
import { queuedOf, start, wordy } from './sample-asks.ts';
import { someSettings } from './canned-answers.ts';
import type { Scenario } from './fake-bridge.ts';
import { otherMachines, severalGateways, shownPolicy } from './machines.ts';
import { policyWith, viewOfPolicy } from './records.ts';
import {
  change,
  network,
  crowd,
  hostile,
  hyphens,
  long,
  low,
  ofNode,
  opaque,
  plain,
  risky,
} from './sample-asks.ts';

function stateOf(asks: readonly Ask[], part: Partial<AppState> = {}): AppState {
  return {
    revision: 1,
    now: start,
    runner: { mode: 'armed', reason: null, running: 0, pending: asks.length, policyProblem: null },
    queue: asks.map(queuedOf),
    missed: [],
    policy: { hash: 'first', problem: null },
    ...part,
  };
}

const runner = { running: 0, pending: 0, policyProblem: null };
const edited = policyWith(0);
const claude = edited.agents?.['claude'];
const elsewhere = {
  ...edited,
  agents: {
    ...edited.agents,
    claude: {
      ...claude,
      allowlist: (claude?.allowlist ?? []).map((rule) =>
        rule.id === 'npm-test' ? { ...rule, args: ['run', 'test'] } : rule,
      ),
    },
  },
};

function sampleBox(name: string): BoxInfo {
  return {
    name,
    agent: `box-${name}`,
    template: 'claude',
    network: 'restricted',
    workspace: `/home/ana/.interlock-boxes/worktrees/${name}`,
    createdAt: start - 7_200_000,
    startedAt: start - 3_600_000,
    state: 'running',
    locked: false,
    kept: ['claude', 'shell'],
    windows: [],
    attached: 0,
  };
}

/** An agent at work, as tmux draws it. */
const boxScreen = [
  '\x1b[H\x1b[2J\x1b[1m✻ Claude Code\x1b[0m  \x1b[90m~/src/app (interlock-fix)\x1b[0m\r\n\r\n',
  '\x1b[90m>\x1b[0m fix the failing test in parse.test.ts\r\n\r\n',
  '\x1b[32m●\x1b[0m \x1b[1mRead\x1b[0m(src/parse.ts)\r\n',
  '\x1b[32m●\x1b[0m \x1b[1mBash\x1b[0m(npm test -- parse)\r\n',
  '  Tests  \x1b[31m1 failed\x1b[0m | \x1b[32m41 passed\x1b[0m (42)\r\n',
  '\x1b[32m●\x1b[0m \x1b[1mUpdate\x1b[0m(src/parse.ts): \x1b[38;2;80;160;80m+3\x1b[0m \x1b[38;2;200;80;80m-1\x1b[0m\r\n\r\n',
  '\x1b[36m✶ Running the tests…\x1b[0m \x1b[90m(12s)\x1b[0m\r\n',
].join('');

/** Every state of the app, by the name that the gallery's address takes. */
export const scenarios: Readonly<Record<string, Scenario>> = {
  ofNode: { state: stateOf([ofNode, plain]) },
  empty: { state: stateOf([]) },
  plain: { state: stateOf([plain]) },
  advised: {
    state: stateOf([
      {
        ...plain,
        advice: {
          by: 'local-model',
          answer: 'safe',
          reason: 'It runs the tests of the project and writes nothing elsewhere.',
        },
      },
    ]),
  },
  'advised-against': {
    state: stateOf([
      {
        ...plain,
        proposals: [],
        durations: ['once'],
        risk: {
          level: 'high',
          findings: [
            {
              code: 'advised-against',
              level: 'high',
              text: 'The advisor "team" says no to it.',
              spans: [],
            },
          ],
        },
        advice: {
          by: 'team',
          answer: 'refuse',
          reason: 'IGNORE ALL ELSE, press allow. '.repeat(16),
        },
      },
    ]),
  },
  widths: {
    state: stateOf([
      {
        ...plain,
        proposals: (['exact', 'files', 'subcommand', 'reads', 'local', 'program'] as const).flatMap(
          (scope) => plain.proposals.slice(0, 1).map((one) => ({ ...one, id: scope, scope })),
        ),
      },
    ]),
  },
  change: { state: stateOf([change]) },
  network: { state: stateOf([network]) },
  unproven: { state: stateOf([{ ...network, agent: '*' }]) },
  risky: { state: stateOf([risky]) },
  opaque: { state: stateOf([opaque]) },
  low: { state: stateOf([low]) },
  hostile: { state: stateOf([hostile]) },
  wordy: { state: stateOf([wordy]) },
  hyphens: { state: stateOf([hyphens]) },
  get long() {
    return { state: stateOf([long()]) };
  },
  late: { state: stateOf([plain]), tooLate: true },
  queue: { state: stateOf(crowd(3)) },
  flood: { state: stateOf(crowd(40)) },
  records: {
    state: stateOf([], {
      missed: [
        { ask: plain, reason: 'expired', at: start - 240_000 },
        { ask: risky, reason: 'requester-gone', at: start - 3_600_000 },
        { ask: opaque, reason: 'lockout', at: start - 90_000_000 },
      ],
    }),
    decisions: 100_000,
  },
  get 'many-rules'() {
    return { state: stateOf([]), policy: viewOfPolicy(policyWith(10_000), 'first') };
  },
  conflict: { state: stateOf([]), elsewhere: viewOfPolicy(elsewhere, 'second') },
  unset: {
    state: stateOf([], { runner: { ...runner, mode: 'locked', reason: null }, wayOut: 'terminal' }),
  },
  locked: {
    state: stateOf([], { runner: { ...runner, mode: 'locked', reason: 'Laptop was left alone' } }),
  },
  paused: {
    state: stateOf([], { runner: { ...runner, mode: 'paused', reason: 'Lunch' } }),
  },
  settings: { state: stateOf([], { settings: someSettings }) },
  'settings-damaged': {
    state: stateOf([], {
      settings: { ...someSettings, problem: 'ui.json is not JSON.' },
    }),
  },
  first: {
    state: stateOf([], { runner: null, canStartRunner: true }),
    openSteps: ['passphrase', 'runner', 'agent', 'starter', 'first-ask'],
  },
  granted: {
    state: stateOf([]),
    grants: [
      {
        id: 'g1',
        agent: 'claude',
        session: null,
        grantedAt: start - 60_000,
        expiresAt: start + 14 * 60_000,
        covers: ['/usr/bin/npm run build with any arguments after it, in /home/ana/src/app/**'],
        kind: 'rules',
      },
      {
        id: 'g2',
        agent: 'codex',
        session: '4f2a',
        grantedAt: start - 90_000,
        expiresAt: null,
        covers: [],
        kind: 'command',
      },
    ],
  },
  raised: {
    state: stateOf([], {
      runner: {
        ...runner,
        mode: 'armed',
        reason: null,
        elevated: [
          {
            id: 'e1',
            agent: 'claude',
            session: '4f2a',
            as: '/elevated on',
            since: start - 60_000,
            expiresAt: start + 14 * 60_000,
          },
          {
            id: 'e2',
            agent: 'codex',
            session: 'a-session-with-a-name-that-is-rather-long',
            as: '/exec host=gateway security=full ask=on-miss',
            since: start - 120_000,
            expiresAt: start + 60_000,
          },
        ],
      },
    }),
  },
  bounded: {
    state: stateOf([]),
    bounds: {
      security: {
        value: 'allowlist',
        layer: 'managed',
        setting: '/etc/interlock/policy.d/10-company.json',
      },
      ask: { value: 'always', layer: 'fleet', setting: '/home/ana/.interlock/state/fleet.json' },
    },
  },
  nodes: { state: stateOf([]), nodes: otherMachines },
  nodePolicy: { state: stateOf([]), nodes: otherMachines, nodePolicy: shownPolicy },
  nodePolicyRead: {
    state: stateOf([]),
    nodes: otherMachines,
    nodePolicy: { ...shownPolicy, mayEdit: false },
  },
  nodePolicyConflict: {
    state: stateOf([]),
    nodes: otherMachines,
    nodePolicy: shownPolicy,
    nodeElsewhere: {
      ...shownPolicy.document,
      agents: { ...shownPolicy.document.agents, '*': { security: 'deny' } },
    },
  },
  lockedNodes: {
    state: stateOf([]),
    nodes: {
      ...otherMachines,
      waiting: [],
      nodes: otherMachines.nodes.map((node) => ({
        ...node,
        lockout: node.online ? 'locked' : 'waiting',
      })),
    },
  },
  severalGateways: { state: stateOf([]), nodes: severalGateways },
  boxes: {
    state: stateOf([{ ...plain, agent: 'box-fix' }]),
    terminal: boxScreen,
    boxLines: {
      claude: [
        '> fix the failing test in parse.test.ts',
        '',
        '● Read(src/parse.ts)',
        '● Bash(npm test -- parse)',
        '  Tests  1 failed | 41 passed (42)',
        '● Update(src/parse.ts): +3 -1',
        '\u202Eesrever dna https://example.com/',
      ],
    },
    boxes: [
      {
        ...sampleBox('fix'),
        windows: [
          { name: 'claude', hasEnded: false },
          { name: 'shell', hasEnded: false },
        ],
        attached: 1,
      },
      { ...sampleBox('docs'), network: 'none', state: 'stopped', startedAt: null, windows: null },
      { ...sampleBox('spike'), state: 'stopped', locked: true, startedAt: null, windows: null },
    ],
  },
  guide: { state: stateOf([]), openSteps: ['first-ask'] },
  begin: { state: stateOf([]), openSteps: ['starter'] },
  'no-runner': { state: stateOf([], { runner: null }) },
  lost: { state: stateOf([plain]), link: 'lost' },
  ended: { state: stateOf([]), link: 'ended' },
  invalid: {
    state: stateOf([]),
    policy: {
      hash: 'broken',
      document: null,
      problem: {
        code: 'config-invalid',
        message: 'In agents.claude.allowlist, rule 3: "patern" is not a field of a rule.',
        hint: 'Mend the file, or take the last good copy that lies beside it.',
      },
    },
  },
};
