import { describe, expect, test } from 'vitest';
import { analyse, outcome, trustOf, workspace } from './support/machine.ts';

describe('requests that are words, not text', () => {
  test('run without a shell, by absolute path', () => {
    const analysis = analyse({ argv: ['git', 'log', '--format=$(id)'] });
    expect(analysis.ok && analysis.plan.execution).toEqual({
      kind: 'argv',
      file: '/usr/bin/git',
      argv: ['/usr/bin/git', 'log', '--format=$(id)'],
    });
  });

  test('look through wrappers and shells like text does', () => {
    const analysis = analyse({ argv: ['timeout', '5', 'bash', '-lc', 'git status && ls'] });
    const stages = analysis.ok ? analysis.plan.stages : [];
    expect(stages.map((stage) => stage.argv)).toEqual([['git', 'status'], ['ls']]);
    expect(stages[0]?.via).toEqual(['timeout', 'bash -c']);
    expect(analysis.ok && analysis.plan.execution).toEqual({
      kind: 'argv',
      file: '/usr/bin/timeout',
      argv: [
        '/usr/bin/timeout',
        '5',
        '/usr/bin/bash',
        '--norc',
        '-c',
        "'/usr/bin/git' 'status' && '/usr/bin/ls'",
      ],
    });
  });

  test.each([
    [['git '], 'missing'],
    [['eval', 'id'], 'missing'],
    [['echo', '$(id)'], 'open'],
    [['sudo', 'id'], 'pinned'],
    [['git', '-c', 'x=y', 'log'], 'pinned'],
    [['env', '-S', 'sh -c id'], 'never'],
    [['bash', '-c', 'echo $(id)'], 'command-substitution'],
    [['bash', '-c', ''], 'syntax-error'],
    [['ls', 'a\0b'], 'control-character'],
    [['ls', '\ud800'], 'control-character'],
    [[], 'syntax-error'],
    [[''], 'syntax-error'],
    [['ls', 'x'.repeat(70_000)], 'too-long'],
    [['printf', '%s', 'x'], 'open'],
    [['ls', '*'], 'open'],
  ])('%j → %s', (argv, expected) => {
    expect(trustOf({ argv })).toBe(expected);
  });

  test('a text that does not match the words is not a request', () => {
    expect(trustOf({ argv: ['ls'], command: 'rm -rf .' })).toBe('syntax-error');
    expect(trustOf({})).toBe('syntax-error');
  });
});

describe('variables of a request', () => {
  test('pass the same filter as those in the text', () => {
    expect(trustOf({ command: 'ls', env: { LD_PRELOAD: '/tmp/x' } })).toBe('unsafe-environment');
    expect(trustOf({ command: 'ls', env: { ld_preload: '/tmp/x' } })).toBe('unsafe-environment');
    expect(trustOf({ command: 'ls', env: { 'BASH_FUNC_ls%%': '() { id; }' } })).toBe(
      'unsafe-environment',
    );
    expect(trustOf({ command: 'ls', env: { 'a b': 'c' } })).toBe('unsafe-environment');
    expect(trustOf({ command: 'ls', env: { NODE_ENV: 'test', CI: '1' } })).toBe('open');
  });

  test('are known values, and hide those of the runner', () => {
    expect(outcome({ command: 'ls "$WHERE" $USER', env: { WHERE: 'a b', USER: 'eve' } })).toBe(
      "'/usr/bin/ls' 'a b' 'eve'",
    );
  });

  test('an opaque command still shows what can be seen of it', () => {
    const analysis = analyse({ command: 'for f; do sudo rm -rf "$f"; done', cwd: workspace });
    const stages = analysis.ok ? [] : analysis.stages;
    expect(stages.map((stage) => stage.argv)).toEqual([['sudo', 'rm', '-rf', '$f']]);
    expect(stages[0]?.carries.map((stage) => stage.argv)).toEqual([['rm', '-rf', '$f']]);
  });
});
