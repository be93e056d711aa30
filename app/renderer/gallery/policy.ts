import type { PolicyDocument, Rule } from '../../../shared/policy/types.ts';
import type { PolicyView } from '../../bridge/types.ts';
import { start } from './asks.ts';

const day = 86_400_000;

const rules: readonly Rule[] = [
  {
    id: 'git-read',
    effect: 'allow',
    pattern: '/usr/bin/git',
    args: [['status', 'diff', 'log'], '...'],
    source: 'allow-always',
    createdAt: start - 40 * day,
    lastUsedAt: start - 3 * 60_000,
    lastUsedCommand: 'git status -s',
    uses: 214,
  },
  {
    id: 'npm-test',
    effect: 'allow',
    pattern: '/usr/local/bin/npm',
    args: ['test'],
    cwd: '~/src/**',
    createdAt: start - 20 * day,
    lastUsedAt: start - 2 * day,
  },
  {
    id: 'node-any',
    effect: 'allow',
    pattern: '/usr/local/bin/node',
    createdAt: start - 33 * day,
    lastUsedAt: start - 9 * day,
  },
  {
    id: 'make',
    effect: 'allow',
    pattern: '/usr/bin/cmake',
    args: ['--build', 'build dir'],
    createdAt: start - 60 * day,
    note: 'for the native part',
  },
  { id: 'no-push', effect: 'deny', pattern: '/usr/bin/git', args: ['push', '...'] },
  {
    id: 'ask-curl',
    effect: 'ask',
    pattern: '/usr/bin/curl',
    argPattern: '^-s https://internal\\.example\\.test/',
    expiresAt: start + 2 * day,
  },
  {
    id: 'edit-docs',
    kind: 'edit',
    pattern: '/home/ana/src/app/docs/**',
    tool: 'Edit',
    createdAt: start - day,
  },
];

/** A policy with something of each kind, and `extra` more rules for claude. */
export function policyWith(extra: number): PolicyDocument {
  const many: Rule[] = Array.from({ length: extra }, (_, index) => ({
    id: `tool-${index}`,
    effect: 'allow',
    pattern: `/opt/tools/bin/tool-${index}`,
    args: ['run', '...'],
    createdAt: start - day,
  }));
  return {
    version: 1,
    defaults: { security: 'deny', ask: 'on-miss', askFallback: 'deny' },
    agents: {
      '*': {
        security: 'allowlist',
        allowlist: [{ id: 'ls', pattern: 'ls', createdAt: start - day, lastUsedAt: start }],
      },
      claude: { security: 'allowlist', ask: 'on-miss', allowlist: [...rules, ...many] },
      codex: { security: 'full', askFallback: 'allowlist', allowlist: [] },
    },
  };
}

export function viewOfPolicy(document: PolicyDocument, hash: string): PolicyView {
  return { hash, document, problem: null };
}
