import type { BridgeCalls, HealthCheck, HistoryEntry, PolicyView } from '../../app/bridge/types.ts';
import type { PolicyDocument, Rule } from '../../shared/engine/index.ts';
import type { ShownChange } from '../../shared/wire/index.ts';
import { start } from './sample-asks.ts';

const commands = [
  'git status -s',
  'npm test',
  'rm -rf node_modules && npm ci',
  'curl -s https://registry.example.test/left-pad',
  'git push origin main',
  'rg --files | head -40',
];

function entryAt(index: number): HistoryEntry {
  const denied = index % 7 === 4;
  return {
    id: `decision-${index}`,
    at: start - index * 47_000,
    agent: index % 5 === 0 ? 'codex' : 'claude',
    session: null,
    command: commands[index % commands.length] ?? '',
    cwd: '/home/ana/src/app',
    decision: denied ? 'deny' : 'allow',
    code: denied ? 'confirm-rejected' : index % 3 === 0 ? 'rule-allow' : 'allow-once',
    by: denied || index % 3 !== 0 ? 'person' : 'policy',
    host: 'gateway',
    exitCode: denied ? null : index % 11 === 0 ? 1 : 0,
  };
}

/** A page of a made-up history of `total` decisions; only what a query has to look at is made. */
export function historyPageOf(
  { search = '', agent = '', decision, by, since, offset, limit }: BridgeCalls['history']['args'],
  total: number,
): BridgeCalls['history']['result'] {
  const made = (from: number, count: number): HistoryEntry[] =>
    Array.from({ length: Math.max(0, Math.min(count, total - from)) }, (_, index) =>
      entryAt(from + index),
    );
  const agents = [...new Set(made(0, 5).map((entry) => entry.agent))].toSorted();
  const isWhole = `${search}${agent}` === '' && (decision ?? by ?? since) === undefined;
  if (isWhole) return { total, entries: made(offset, limit), agents };
  const all = made(0, total).filter(
    (entry) =>
      entry.command.includes(search.toLowerCase()) &&
      entry.agent.includes(agent) &&
      entry.decision === (decision ?? entry.decision) &&
      entry.by === (by ?? entry.by) &&
      entry.at >= (since ?? entry.at),
  );
  return { total: all.length, entries: all.slice(offset, offset + limit), agents };
}

/** Checks of a set-up with something unsafe in it; mended, it is sound. */
export function healthChecks(mended: boolean): readonly HealthCheck[] {
  return [
    {
      id: 'home-mode',
      level: mended ? 'ok' : 'danger',
      title: mended ? 'Only you can read Interlock’s folder' : 'Others can read Interlock’s folder',
      detail: mended
        ? 'The folder has mode 0700, and all files in it have 0600.'
        : 'The folder has mode 0755. Another user of this machine can read the approvals token.',
      mendable: !mended,
    },
    {
      id: 'sandbox',
      level: 'warning',
      title: 'Agents run outside a sandbox',
      detail:
        'A process of the same user could answer for you. Run the agent in a sandbox, or the runner as its own user.',
      mendable: false,
    },
    {
      id: 'runner',
      level: 'ok',
      title: 'The runner answers',
      detail: 'Version 0.1.0, running for 3 hours.',
      mendable: false,
    },
    {
      id: 'policy',
      level: 'ok',
      title: 'The policy file is valid',
      detail: '7 rules, mode 0600.',
      mendable: false,
    },
  ];
}

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

const changedFiles: readonly ShownChange[] = [
  {
    path: 'src/menu.ts',
    what: 'changed',
    kind: 'file',
    isKept: true,
    with: [],
    diff: "@@ -3,4 +3,5 @@\n const items = [\n-  'Open',\n+  'Open …',\n+  'Open recent',\n   'Close',\n ];",
    note: null,
  },
  {
    path: 'scripts/old.sh',
    what: 'removed',
    kind: 'file',
    isKept: true,
    with: ['decision-2'],
    diff: '@@ -1,2 +1,0 @@\n-#!/bin/sh\n-npm run old',
    note: null,
  },
  {
    path: 'assets/film.mp4',
    what: 'added',
    kind: 'file',
    isKept: false,
    with: [],
    diff: null,
    note: null,
  },
];

/** What the second command of the made-up history changed. */
export function changesOf(id: string | undefined, has: boolean): BridgeCalls['changes']['result'] {
  const entry = {
    id: 'decision-1',
    at: start - 47_000,
    workspace: '/home/ana/src/app',
    agent: 'claude',
    command: 'npm test',
    undoes: null,
    takenBackBy: null,
    isCutOff: false,
    files: changedFiles.length,
  };
  if (!has) return { entries: [] };
  return { entries: [id === undefined ? entry : { ...entry, shown: changedFiles, unnamed: 0 }] };
}

/** All is taken back but what is not kept, and one file that is newer. */
export function takenBackOf({
  files,
}: BridgeCalls['takeBack']['args']): BridgeCalls['takeBack']['result'] {
  return {
    id: 'undo-1',
    dryRun: false,
    files: changedFiles
      .filter(({ path }) => files?.includes(path) ?? true)
      .map(({ path, isKept }) =>
        isKept
          ? path.startsWith('scripts')
            ? { path, result: 'newer', why: 'it was changed again since' }
            : { path, result: 'taken-back', why: null }
          : { path, result: 'not-kept', why: 'its content is not kept' },
      ),
  };
}
