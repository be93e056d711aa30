import type { Ask } from '../../shared/engine/ask.ts';

/** A whole ask, as the gate makes it; fields may be replaced. */
export function sampleAsk(change: Partial<Ask> = {}): Ask {
  return {
    id: 'ask-1',
    kind: 'exec',
    agent: 'claude',
    session: 's-1',
    toolUseId: null,
    statedReason: 'to clean up',
    host: 'gateway',
    cwd: '/home/me/src',
    command: 'git status -s | head -3',
    isShellText: true,
    stages: [
      {
        argv: ['git', 'status', '-s'],
        resolvedPath: '/usr/bin/git',
        program: 'file',
        via: [],
        cwd: '/home/me/src',
        writes: [],
        why: 'No rule matches.',
        span: { start: 0, end: 13 },
      },
    ],
    opaque: null,
    why: 'No rule covers this command.',
    risk: {
      level: 'low',
      findings: [
        { code: 'package-install', level: 'low', text: 'Installs.', spans: [{ start: 0, end: 3 }] },
      ],
    },
    env: [{ name: 'CI', value: '1', unsafe: false }],
    ancestry: [{ pid: 42, name: 'node', command: 'node agent.js' }],
    proposals: [
      {
        id: 'p1',
        scope: 'exact',
        sentence: 'Exactly: git status -s',
        rules: [{ pattern: '/usr/bin/git', args: ['status', '-s'], source: 'allow-always' }],
        pastCommands: [],
      },
    ],
    durations: ['once', 'session', 'always'],
    createdAt: 1_700_000_000_000,
    expiresAt: 1_700_000_120_000,
    ...change,
  };
}
