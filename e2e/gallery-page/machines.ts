import type { Scenario } from './fake-bridge.ts';
import { start } from './sample-asks.ts';

/** Other machines: one that waits, one that is there, one that is not. */
export const otherMachines: NonNullable<Scenario['nodes']> = {
  listening: '0.0.0.0:7433',
  calls: [],
  problem: null,
  own: null,
  gateways: [],
  waiting: [
    {
      id: 'a1'.repeat(32),
      displayName: 'build machine',
      code: '7KQ2-M0XD',
      version: '0.1.0',
      policyHash: 'b2'.repeat(32),
      address: '192.168.1.20',
      since: start - 5_000,
      expiresAt: start + 595_000,
      isKnown: false,
    },
  ],
  nodes: [
    {
      id: 'c4'.repeat(32),
      displayName: 'mac mini',
      state: 'approved',
      online: true,
      version: '0.1.0',
      policyHash: 'd5'.repeat(32),
      pairedAt: start - 86_400_000,
      lastSeenAt: start,
      lastAddress: '192.168.1.7',
    },
    {
      id: 'e6'.repeat(32),
      displayName: 'old laptop',
      state: 'approved',
      online: false,
      version: '0.1.0',
      policyHash: null,
      pairedAt: start - 864_000_000,
      lastSeenAt: start - 172_800_000,
      lastAddress: '192.168.1.9',
      problems: [
        {
          code: 'not-proven',
          message: 'Somebody came under its id and could not prove to be it.',
          at: start - 3_600_000,
        },
        {
          code: 'no-policy',
          message: 'It has no policy that it can use, and runs nothing.',
          at: null,
        },
      ],
    },
  ],
};

const [desk, spare, attic] = ['a7', 'b8', 'c9'].map((two) => two.repeat(32)) as [
  string,
  string,
  string,
];

/** A further gateway of a fleet, which is a node of another one, too. */
export const severalGateways: NonNullable<Scenario['nodes']> = {
  ...otherMachines,
  listening: null,
  calls: ['tls://nats.example:4222'],
  waiting: [],
  own: {
    id: 'd1'.repeat(32),
    displayName: 'spare',
    gateway: 'office',
    address: 'tls://nats.example:4222',
    connected: true,
    since: start - 3_600_000,
    problem: null,
    given: false,
    further: [
      {
        id: 'e2'.repeat(32),
        displayName: 'basement',
        connected: false,
        since: start - 7_200_000,
        lastSeenAt: start - 7_200_000,
        problem: 'The other machine fell silent.',
      },
    ],
  },
  gateways: [
    { id: desk, displayName: null, isThis: false, links: 1, lastSeenAt: null },
    { id: spare, displayName: 'spare', isThis: true, links: 2, lastSeenAt: null },
    { id: attic, displayName: 'attic', isThis: false, links: 0, lastSeenAt: start - 180_000 },
  ],
  nodes: otherMachines.nodes.map((node) => ({
    ...node,
    online: true,
    problems: [],
    isLocked: node.displayName === 'mac mini',
    gateways: [
      { id: desk, connected: node.displayName === 'mac mini', since: start - 60_000 },
      { id: spare, connected: true, since: start - 3_600_000 },
      { id: attic, connected: false, since: start - 180_000 },
    ],
  })),
};

/** What decides on one of them. */
export const shownPolicy: NonNullable<Scenario['nodePolicy']> = {
  hash: 'd5'.repeat(32),
  mayEdit: true,
  document: {
    version: 1,
    agents: {
      '*': {
        security: 'allowlist',
        ask: 'on-miss',
        allowlist: [
          { id: 'make', pattern: '/usr/bin/make', args: ['all'] },
          { id: 'rsync', pattern: '/usr/bin/rsync', effect: 'deny' },
        ],
      },
    },
  },
};
