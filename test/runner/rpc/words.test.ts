import { describe, expect, it } from 'vitest';
import { staysInSandbox } from '../../../shared/engine/index.ts';
import { parseClientArgs } from '../../../runner/rpc/words.ts';

const options = { confirm: false };

describe('the words of the client', () => {
  it.each([
    [[], { kind: 'help' }],
    [['--version'], { kind: 'version' }],
    [['rpc', 'detect'], { kind: 'detect' }],
    [
      ['gh', 'issue', 'create', '--title', 'A b', '--wait', '3s'],
      {
        kind: 'tool',
        tool: 'gh',
        args: ['issue', 'create', '--title', 'A b', '--wait', '3s'],
        stdin: false,
        options,
      },
    ],
    [
      ['--timeout', '2m', '--confirm', 'gh', 'pr', 'create', '--body-file=-'],
      {
        kind: 'tool',
        tool: 'gh',
        args: ['pr', 'create', '--body-file=-'],
        stdin: true,
        options: { confirm: true, timeoutMs: 120_000 },
      },
    ],
    [
      ['run', '--reason=why', '-c', 'a | b'],
      {
        kind: 'run',
        what: { command: 'a | b' },
        stdin: false,
        options: { confirm: false, reason: 'why' },
      },
    ],
    [
      ['run', '--wait', '500ms', '--', 'x', '--', '-c'],
      {
        kind: 'run',
        what: { argv: ['x', '--', '-c'] },
        stdin: false,
        options: { confirm: false, waitMs: 500 },
      },
    ],
    [
      ['pause', '--reason', 'r'],
      { kind: 'pause', options: { confirm: false, stdin: false, reason: 'r' } },
    ],
  ])('%j', (words, wanted) => {
    expect(parseClientArgs(words)).toEqual(wanted);
  });

  it.each([
    [['run', 'x'], 'behind "--"'],
    [['run', '--'], 'behind "--"'],
    [['run', '-c', 'x', '--', 'y'], 'not both'],
    [['run', '-c'], 'takes a value'],
    [['run', '--timeout', 'soon', '--', 'x'], 'not a duration'],
    [['--unknown', 'gh'], '"--unknown" is not understood'],
    [['-c', 'x'], '"-c" is not understood'],
    [['pause', 'now'], '"now" is not understood'],
    [['rpc', 'install', '.'], '"detect" and "status"'],
    [['--confirm'], 'Say what'],
  ])('refuses %j', (words, sentence) => {
    expect(() => parseClientArgs(words)).toThrow(sentence);
  });
});

it.each([
  ['git', ['status', '-s'], true],
  ['git', ['log', '--oneline'], true],
  ['git', ['push'], false],
  ['git', ['fetch'], false],
  ['git', [], false],
  ['git', ['-C', 'x', 'status'], false],
  ['gh', ['--version'], true],
  ['gh', ['help'], true],
  ['gh', ['help', 'issue'], false],
  ['gh', ['issue', 'list'], false],
  ['__proto__', ['x'], false],
])('what only reads stays in the sandbox: %s %j', (tool, args, here) => {
  expect(staysInSandbox(tool, args)).toBe(here);
});
