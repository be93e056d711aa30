import { describe, expect, it } from 'vitest';
import {
  maxPolicyLength,
  parsePolicy,
  serialisePolicy,
} from '../../../shared/engine/policy/parse.ts';
import type { PolicyDocument } from '../../../shared/engine/policy/types.ts';

function parsed(value: unknown): PolicyDocument {
  const result = parsePolicy(JSON.stringify(value));
  if (!result.ok) throw new Error(result.problem.message);
  return result.document;
}

function problem(text: string): string {
  const result = parsePolicy(text);
  if (result.ok) throw new Error('it was accepted');
  expect(result.problem.code).toBe('config-invalid');
  expect(result.problem.hint).not.toBe('');
  return result.problem.message;
}

describe('a policy document', () => {
  it('keeps every field through a round trip, also those that it never looks at', () => {
    const document = {
      version: 1,
      'x-future': { a: [1] },
      socket: { path: '~/x', token: 't', 'x-mode': 'x' },
      defaults: { security: 'allowlist', autoAllowSkills: true, 'x-other': 1 },
      agents: {
        claude: {
          ask: 'always',
          mcpTools: [{ server: 's' }],
          allowlist: [
            {
              id: 'a',
              pattern: 'git',
              args: ['x', ['y', 'z'], '...'],
              expiresAt: null,
              'x-colour': 'red',
            },
          ],
        },
      },
    };
    expect(parsePolicy(serialisePolicy(parsed(document)))).toEqual({ ok: true, document });
  });

  it('takes what OpenClaw wrote', () => {
    const document = parsed({
      version: 1,
      socket: { path: '/Users/me/.openclaw/exec-approvals.sock', token: 'abc' },
      defaults: { security: 'full', ask: 'off', askFallback: 'full', autoAllowSkills: false },
      agents: {
        main: {
          security: 'allowlist',
          allowlist: [
            '/usr/bin/uptime',
            {
              pattern: '/opt/homebrew/bin/rg',
              lastUsedAt: 1737150000000,
              lastUsedCommand: 'rg -n x',
              lastResolvedPath: '/opt/homebrew/bin/rg',
            },
            {
              id: 'B5C1',
              pattern: '/usr/bin/git',
              argPattern: '^status\0$',
              source: 'allow-always',
              commandText: 'git status',
            },
            { id: 'B5C2', pattern: '=command:0123456789abcdef' },
            { id: 'B5C3', pattern: '/usr/bin/x', argPattern: '(?=not linear)' },
            { id: 'B5C4', pattern: '' },
          ],
        },
      },
    });
    const rules = document.agents?.['main']?.allowlist ?? [];
    expect(rules.map(({ pattern }) => pattern)).toEqual([
      '/usr/bin/uptime',
      '/opt/homebrew/bin/rg',
      '/usr/bin/git',
      '=command:0123456789abcdef',
      '/usr/bin/x',
      '',
    ]);
    expect(new Set(rules.map(({ id }) => id)).size).toBe(6);
    expect(rules[2]).toEqual({
      id: 'B5C1',
      pattern: '/usr/bin/git',
      argPattern: '^status\0$',
      source: 'allow-always',
    });
  });

  it('gives rules without an id the same one each time', () => {
    const value = { version: 1, agents: { a: { allowlist: ['x', 'x', { pattern: 'y' }] } } };
    const ids = () => parsed(value).agents?.['a']?.allowlist?.map(({ id }) => id);
    expect(ids()).toEqual(ids());
    expect(new Set(ids()).size).toBe(3);
  });

  it('gives the later of two rules with one id another', () => {
    const rules = parsed({
      version: 1,
      agents: {
        a: {
          allowlist: [
            { id: 'x', pattern: 'a' },
            { id: 'x', pattern: 'b' },
          ],
        },
      },
    }).agents?.['a']?.allowlist;
    expect(rules?.[0]?.id).toBe('x');
    expect(rules?.[1]?.id).not.toBe('x');
  });

  it('merges the agent "default" into "main", where main wins and nothing stands twice', () => {
    const document = parsed({
      version: 1,
      agents: {
        default: {
          security: 'full',
          ask: 'always',
          allowlist: [
            '/USR/bin/git',
            { pattern: 'git', argPattern: 'x' },
            { pattern: '/usr/bin/git', effect: 'deny' },
          ],
        },
        main: { security: 'deny', allowlist: ['/usr/bin/git', 'ls'] },
      },
    });
    expect(Object.keys(document.agents ?? {})).toEqual(['main']);
    expect(document.agents?.['main']).toMatchObject({ security: 'deny', ask: 'always' });
    expect(
      document.agents?.['main']?.allowlist?.map(({ pattern, effect }) => [pattern, effect]),
    ).toEqual([
      ['/usr/bin/git', undefined],
      ['ls', undefined],
      ['git', undefined],
      ['/usr/bin/git', 'deny'],
    ]);
  });

  it.each([
    ['', /is empty/],
    [
      '{"version": 1, "agents": {"a": {"allowlist": [\n{"efect": "deny", "pattern": "rm"}]}}}',
      /agents\.a\.allowlist\[0\] has an unknown field "efect" \(line 2\)/,
    ],
    [
      '{"version": 1, "agents": {"default": {"allowlist": [\n{"pattern": "rm", "Effect": "deny"}]}}}',
      /agents\.default\.allowlist\[0\] has an unknown field "Effect" \(line 2\)/,
    ],
    [
      '{"version": 1, "agents": {"a": {"allowlist": [{"effect": "deny",\n"effect": "allow", "pattern": "rm"}]}}}',
      /the field "effect" stands there twice, again on line 2/,
    ],
    ['{"version": 1,\n"version": 1}', /the field "version" stands there twice, again on line 2/],
    [
      '{"version": 1, "agents": {"a": {"securty": "deny"}}}',
      /agents\.a has an unknown field "securty"/,
    ],
    ['{"version": 1, "default": {"security": "deny"}}', /has an unknown field "default"/],
    ['{"version": 1, "socket": {"tokn": "x"}}', /socket has an unknown field "tokn"/],
    [
      '{"version": 1, "agents": {"a": {"allowlist": [{"pattern": "x", "examples": {"matches": []}}]}}}',
      /examples has an unknown field "matches"/,
    ],
    ['{', /not valid JSON/],
    ['[]', /not a JSON object/],
    ['null', /not a JSON object/],
    ['{}', /does not say which version/],
    ['{"version": 2}', /version 2, which this program does not know/],
    ['{"version": "1"}', /must be the number 1/],
    ['{"version": 1, "agents": {"__proto__": {"security": "full"}}}', /__proto__/],
    [
      '{"version": 1, "defaults": {"security": "loose"}}',
      /defaults\.security must be one of "deny"/,
    ],
    ['{"version": 1, "defaults": {"ask": null}}', /defaults\.ask/],
    ['{"version": 1, "agents": []}', /agents must be an object/],
    ['{"version": 1, "agents": {"a": {"allowlist": {}}}}', /agents\.a\.allowlist must be a list/],
    [
      '{"version": 1, "agents": {"a": {"allowlist": [{}]}}}',
      /allowlist\[0\] lacks the field "pattern"/,
    ],
    ['{"version": 1, "agents": {"a": {"allowlist": [7]}}}', /allowlist\[0\] must be an object/],
    [
      '{"version": 1, "agents": {"a": {"allowlist": [{"id": 7, "pattern": "x"}]}}}',
      /\[0\]\.id must be a string/,
    ],
    [
      '{"version": 1, "agents": {"a": {"allowlist": [{"pattern": "x", "effect": "permit"}]}}}',
      /effect must be one of/,
    ],
    [
      '{"version": 1, "agents": {"a": {"allowlist": [{"pattern": "x", "args": "status"}]}}}',
      /args must be a list/,
    ],
    [
      '{"version": 1, "agents": {"a": {"allowlist": [{"pattern": "x", "sha256": "abc"}]}}}',
      /sha256 does not have/,
    ],
    [
      '{"version": 1, "agents": {"a": {"allowlist": [{"pattern": "", "effect": "deny"}]}}}',
      /agents\.a\.allowlist\[0\] cannot be understood: its pattern is empty/,
    ],
    [
      '{"version": 1, "agents": {"a": {"allowlist": [{"pattern": "x", "effect": "deny", "argPattern": "(?=x)"}]}}}',
      /linear time/,
    ],
    [
      '{"version": 1, "agents": {"a": {"allowlist": [{"pattern": "x", "effect": "ask", "args": ["...", "x"]}]}}}',
      /may only stand last/,
    ],
    ['{"version": 1, "agents": {"default": [], "main": {}}}', /agents\.default must be an object/],
    [
      '{"version": 1, "agents": {"default": {"allowlist": 1}}}',
      /agents\.default\.allowlist must be a list/,
    ],
  ])('is refused: %s', (text, message) => {
    expect(problem(text)).toMatch(message);
  });

  it('is refused when it is too long, before it is read', () => {
    expect(problem(' '.repeat(maxPolicyLength + 1))).toMatch(/longer than/);
  });

  it('never repeats the token in a problem', () => {
    const text = '{"version": 1, "socket": {"token": ["hush-hush"]}}';
    expect(problem(text)).not.toContain('hush');
  });
});

it('moments with fractions, as other programs write them, are taken as whole milliseconds', () => {
  const rule = {
    id: 'r',
    pattern: 'git',
    createdAt: 1737150000000.75,
    lastUsedAt: 1.5,
    expiresAt: 9.9,
  };
  expect(
    parsed({ version: 1, agents: { main: { allowlist: [rule] } } }).agents?.['main']?.allowlist,
  ).toEqual([{ id: 'r', pattern: 'git', createdAt: 1737150000000, lastUsedAt: 1, expiresAt: 9 }]);
});
