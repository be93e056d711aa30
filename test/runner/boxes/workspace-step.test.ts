import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { namedBoxes } from '../../../runner/boxes/boxes.ts';
import { begin, stepsOf } from '../../../runner/boxes/lifecycle.ts';
import type { Journal } from '../../../runner/boxes/lifecycle.ts';
import type { BoxRecord } from '../../../runner/boxes/record.ts';
import { strayWorkspaces } from '../../../runner/boxes/workspace/workspaces.ts';
import { defaultConfig } from '../../../shared/engine/index.ts';
import { git } from '../tools/support.ts';
import { canBox, home, inBox } from './support.ts';

const template = {
  description: 'for a test',
  agents: [],
  sandbox: { network: 'none' },
  skills: { text: 'Be brief.' },
} as const;

/** Boxes on a repository with one commit. */
const onRepository = () => {
  const at = home({
    config: () => ({ ...defaultConfig, boxes: { templates: { mine: template } } }),
  });
  git(at.workspace, 'init', '-q', '-b', 'main');
  writeFileSync(join(at.workspace, 'Cargo.toml'), '');
  git(at.workspace, 'add', '.');
  git(at.workspace, 'commit', '-qm', 'one');
  const root = `${at.paths.home}-boxes/worktrees`;
  const up = async (name: string) =>
    at.boxes.up({
      name,
      templateName: 'mine',
      workspace: { kind: 'worktree', repository: at.workspace },
    });
  const left = () => [
    ...git(at.workspace, 'branch', '--format=%(refname:short)').trim().split('\n'),
    ...strayWorkspaces(root, new Set()),
  ];
  return { ...at, root, up, left };
};

const commit = 'git -c user.name=a -c user.email=a@b commit -qm';

describe.runIf(canBox)('a box on a worktree', () => {
  it('commits side by side with another one on the same repository, and is told where it is', async () => {
    const { boxes, workspace, root, up, left } = onRepository();
    const [one] = await Promise.all([up('one'), up('two')]);
    expect(one.workspace).toBe(join(root, 'one'));
    for (const name of ['one', 'two']) {
      const work = `echo ${name} > ${name} && git add . && ${commit} ${name} && git status --porcelain`;
      expect(await inBox(boxes, name, 'sh', '-c', work)).toEqual({ code: 0, text: '' });
    }
    const file = readFileSync(join(root, 'one/.claude/interlock-skills.md'), 'utf8');
    expect(file).toContain('branch `interlock-one`');
    expect(file).toContain('Tests: `cargo test`');
    expect(file.endsWith('Be brief.\n')).toBe(true);
    const told = `cat ${['.claude/CLAUDE.md', '.codex/AGENTS.md', '.gemini/GEMINI.md', '.config/opencode/AGENTS.md'].map((each) => `~/${each}`).join(' ')}`;
    expect((await inBox(boxes, 'one', 'sh', '-c', told)).text).toBe(file.repeat(4).trim());
    expect(await boxes.down('one')).toEqual([
      'The branch interlock-one was left: it has 1 commit that nothing else has.',
    ]);
    git(workspace, 'merge', '-q', '--ff-only', 'interlock-one');
    expect(git(workspace, 'log', '-1', '--format=%s')).toBe('one\n');
    expect(await boxes.down('two', { discard: true })).toEqual([]);
    expect(left()).toEqual(['interlock-one', 'main']);
    expect(existsSync(join(workspace, '.git/worktrees'))).toBe(false);
    expect(readFileSync(join(workspace, '.git/info/exclude'), 'utf8')).not.toContain('interlock');
    expect(existsSync(join(homedir(), '.codex/AGENTS.md'))).toBe(false);
  });

  it('leaves nothing of a workspace whose box could not be started, or that was cut off', async () => {
    const { boxes, records, options, workspace, up, left } = onRepository();
    const failing = namedBoxes({ ...options, runtime: { ...options.runtime, exec: () => null } });
    const source = { kind: 'worktree', repository: workspace } as const;
    const asked = { name: 'one', templateName: 'mine', workspace: source };
    await expect(failing.up(asked)).rejects.toThrow('a key for its agent, its workspace.');
    expect(left()).toEqual(['main']);
    await up('one');
    const record = records.read('one') as BoxRecord;
    const journal = stepsOf('up').reduce<Journal>(begin, { operation: 'up', begun: [] });
    records.write({ ...record, journal });
    expect((await boxes.gc())[0]).toContain('"up" was left in the middle');
    expect(left()).toEqual(['main']);
  });
});
