import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { releaseWorkspace, prepareWorkspace } from '../../../runner/boxes/workspace/workspaces.ts';
import type {
  Kept,
  WorkspaceRecord,
  WorkspaceSource,
  WorkspaceTools,
} from '../../../runner/boxes/workspace/record.ts';
import { git } from '../tools/support.ts';

export const path = '/usr/local/bin:/usr/bin:/bin';

export interface Place {
  readonly folder: string;
  readonly repo: string;
  readonly tools: WorkspaceTools;
  readonly told: string[];
  /** What was kept of each box. */
  readonly records: Map<string, WorkspaceRecord>;
}

/** A repository with two commits, and a place for workspaces. */
export function place(): Place {
  const folder = mkdtempSync(join(tmpdir(), 'interlock-box-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const repo = join(folder, 'repo');
  mkdirSync(repo);
  git(repo, 'init', '-q', '-b', 'main');
  for (const name of ['a.txt', 'b.txt']) {
    writeFileSync(join(repo, name), `${name}\n`);
    git(repo, 'add', '.');
    git(repo, 'commit', '-qm', name);
  }
  const told: string[] = [];
  return {
    folder,
    repo,
    told,
    records: new Map(),
    tools: {
      root: join(folder, 'boxes'),
      home: folder,
      interlockHome: join(folder, '.interlock'),
      path,
      signIn: {},
      tell: (line) => told.push(line),
    },
  };
}

/** A program in front of the real ones, as a shell script. */
export function standIn({ folder, tools }: Place, name: string, script: string): WorkspaceTools {
  const bin = join(folder, `bin-${String(readdirSync(folder).length)}`);
  mkdirSync(bin);
  writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(bin, name), 0o755);
  return { ...tools, path: `${bin}:${path}` };
}

export async function up(
  at: Place,
  name: string,
  source: WorkspaceSource,
  tools = at.tools,
): Promise<WorkspaceRecord> {
  const keep = (record: WorkspaceRecord) => void at.records.set(name, record);
  return (await prepareWorkspace(name, source, tools, keep)).record;
}

export async function down(
  at: Place,
  name: string,
  options: Partial<{ keepBranch: boolean; discard: boolean }> = {},
): Promise<readonly Kept[]> {
  const record = at.records.get(name);
  if (record === undefined) return [];
  return releaseWorkspace(
    name,
    record,
    { keepBranch: false, discard: false, ...options },
    at.tools,
  );
}

/** What there is of boxes in a repository and in the place for workspaces: nothing, as lines. */
export function leftOf({ repo, tools }: Place, repository = repo): readonly string[] {
  const admin = join(repository, '.git', 'worktrees');
  return [
    ...git(repository, 'branch', '--list', 'interlock-*', '--format=%(refname)').split('\n'),
    ...(existsSync(admin) ? readdirSync(admin).map((name) => `.git/worktrees/${name}`) : []),
    ...(existsSync(tools.root) ? readdirSync(tools.root) : []),
  ].filter((line) => line !== '');
}

export const worktree = ({ repo }: Place): WorkspaceSource => ({
  kind: 'worktree',
  repository: repo,
});
