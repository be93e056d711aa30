import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { enterOwnLeaf } from '../../../runner/service/own-group.ts';
import { temporaryFolder } from '../hosts/support.ts';

/** A group as the kernel shows it, in plain files. */
function setUp({ path = '/app.slice/interlock-runner.service', procs = '7\n' } = {}) {
  const root = temporaryFolder();
  const group = join(root, path);
  mkdirSync(group, { recursive: true });
  writeFileSync(join(group, 'cgroup.procs'), procs);
  writeFileSync(join(group, 'cgroup.controllers'), 'cpu memory pids\n');
  const warnings: string[] = [];
  const enter = (own = `0::${path}\n`): void =>
    enterOwnLeaf({ pid: 7, root, own, log: { warn: (text) => warnings.push(text) } });
  const at = (name: string): string => readFileSync(join(group, name), 'utf8');
  return { group, warnings, enter, at };
}

test('the runner goes into a leaf of its unit, and hands memory and pids down', () => {
  const { enter, at, warnings } = setUp();
  enter('1:name=systemd:/elsewhere\n0::/app.slice/interlock-runner.service\n');
  expect(at('runner/cgroup.procs')).toBe('7');
  expect(at('cgroup.subtree_control')).toBe('+memory +pids');
  expect(warnings).toEqual([]);
});

test('a controller that was not handed to the unit is not handed on', () => {
  const { enter, at, group } = setUp();
  writeFileSync(join(group, 'cgroup.controllers'), 'pids\n');
  enter();
  expect(at('cgroup.subtree_control')).toBe('+pids');
});

test.each([
  ['a terminal', '0::/user.slice/session-1.scope\n'],
  ['version 1 alone', '3:memory:/app.slice/interlock-runner.service\n'],
  ['its leaf already', '0::/app.slice/interlock-runner.service/runner\n'],
])('in %s it touches nothing', (_what, own) => {
  const { enter, group, warnings } = setUp();
  enter(own);
  expect(existsSync(join(group, 'runner'))).toBe(false);
  expect(warnings).toEqual([]);
});

test('beside another process, or where it may not write, it stays and says so', () => {
  const crowded = setUp({ procs: '7\n8\n' });
  crowded.enter();
  expect(existsSync(join(crowded.group, 'runner'))).toBe(false);
  expect(crowded.warnings).toEqual([expect.stringContaining('another process')]);
  const shut = setUp();
  writeFileSync(join(shut.group, 'runner'), '');
  shut.enter();
  expect(shut.warnings).toEqual([expect.stringContaining('Commands cannot have control groups')]);
});
