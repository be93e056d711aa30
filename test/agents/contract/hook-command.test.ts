import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { hookCommand, hookOptions, readHookCommand } from '../../../shared/agents/hook-command.ts';
import type { HookCommand } from '../../../shared/agents/hook-command.ts';

const plain: HookCommand = {
  node: '/usr/bin/node',
  program: '/opt/interlock/dist/runner/hook/main.cjs',
  host: 'claude',
  agent: 'claude',
  home: null,
  wait: 135,
};

test.each(['/bin/false', '/nowhere/node'])(
  'a hook that ends without an answer is a no in words and exit status 2: %s',
  (node) => {
    const { status, stdout, stderr } = spawnSync(
      '/bin/sh',
      ['-c', hookCommand({ ...plain, node })],
      {
        encoding: 'utf8',
      },
    );
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain('Interlock allowed nothing');
  },
);

test.each(['/bin/false', '/nowhere/node'])(
  'a hook for prompts that ends without an answer is none: %s',
  (node) => {
    const line = hookCommand({ ...plain, node, prompt: true });
    const { status, stdout } = spawnSync('/bin/sh', ['-c', line], { encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
  },
);

test('a hook that answers is not spoken for', () => {
  const line = hookCommand({ ...plain, node: '/bin/echo' });
  const { status, stderr } = spawnSync('/bin/sh', ['-c', line], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

describe('the line that a host starts', () => {
  test('is what a person can read', () => {
    expect(hookCommand(plain)).toBe(
      '/usr/bin/node /opt/interlock/dist/runner/hook/main.cjs claude --agent claude --wait 135' +
        " || { echo 'Interlock allowed nothing: its hook program did not answer.' >&2; exit 2; }",
    );
  });

  test.each<Partial<HookCommand>>([
    {},
    { home: '/srv/inter lock' },
    { decideOnly: true },
    { home: '/srv/inter lock', decideOnly: true },
    { prompt: true },
    { home: '/srv/inter lock', prompt: true },
    { node: "/opt/it's $HOME/`x`/node", home: "/a'b' c" },
    { program: '/Applications/Inter lock.app/dist/runner/hook/main.cjs' },
  ])('is read back as it was: %j', (change) => {
    const command = { ...plain, ...change };
    expect(readHookCommand(hookCommand(command))).toEqual(command);
  });

  test.each([
    '',
    'node hook.js',
    '/usr/bin/node /opt/x/dist/runner/cli/main.js claude --agent a --wait 1',
    '/usr/bin/node /opt/x/dist/runner/hook/main.cjs claude',
  ])('of somebody else is not ours: %j', (line) => {
    expect(readHookCommand(line)).toBeNull();
  });
});

test.each([
  [['emacs', '--agent', 'a', '--wait', '1']],
  [['claude', '--agent', 'a', '--wait', '0']],
  [['claude', '--agent', 'a', '--wait', '1e9']],
  [['claude', '--agent', 'a', '--wait', '1', '--home']],
  [['claude', '--agent', 'a', '--wait', '--decide-only']],
  [['claude', '--agent', 'a', '--wait', '1', '--decide-only', '--decide-only']],
  [['claude', '--agent', 'a', '--wait', '1', '--prompt', '--prompt']],
  [['claude', '--agent', 'a', '--wait', '1', '--decide-only', '--prompt']],
  [['claude', '--wait', '1', '--agent', 'a']],
  [['claude', '--agent', 'a', '--wait', '1', '--home', '/x', 'more']],
])('arguments that are not as the installer writes them are refused: %j', (args) => {
  expect(hookOptions(args)).toBeNull();
});
