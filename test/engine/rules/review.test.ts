import { describe, expect, it } from 'vitest';
import type { Rule } from '../../../shared/engine/policy/types.ts';
import { reviewRules } from '../../../shared/engine/rules/review.ts';

const dayMs = 86_400_000;
const now = 1_800_000_000_000;
const daysAgo = (days: number): number => now - days * dayMs;

const codesOf = (rule: Partial<Rule>): readonly string[] =>
  reviewRules(
    {
      version: 1,
      agents: { claude: { allowlist: [{ id: 'r', pattern: '/usr/bin/jq', ...rule }] } },
    },
    now,
  ).map(({ code }) => code);

describe('a review of the rules', () => {
  const cases: readonly [string, Partial<Rule>, readonly string[]][] = [
    ['a new rule', { createdAt: daysAgo(1) }, []],
    ['a rule without a date', {}, []],
    ['a rule never used', { createdAt: daysAgo(15) }, ['never-used']],
    ['a rule used lately', { createdAt: daysAgo(400), lastUsedAt: daysAgo(89) }, []],
    ['a rule used long ago', { lastUsedAt: daysAgo(90) }, ['long-unused']],
    ['a denial never used', { createdAt: daysAgo(400), effect: 'deny' }, []],
    ['a rule that has expired', { createdAt: daysAgo(15), expiresAt: daysAgo(1) }, ['expired']],
    ['a folder of changed files', { kind: 'edit', pattern: '~/src/**' }, []],
    ['a site', { kind: 'fetch', pattern: 'https://docs.example/**' }, []],
    ['every changed file', { kind: 'edit', pattern: '/**' }, ['everything']],
    ['every changed file at home', { kind: 'edit', pattern: '~/**' }, ['everything']],
    ['every address', { kind: 'fetch', pattern: 'https://**' }, ['everything']],
    ['every tool of every server', { kind: 'mcp', pattern: '*/*' }, ['everything']],
    ['every tool of a server', { kind: 'mcp', pattern: 'github/*' }, []],
    ['any program', { pattern: '**' }, ['any-program']],
    ['every program of a folder', { pattern: '/opt/tools/*' }, ['any-program']],
    ['some programs of a folder', { pattern: '/opt/tools/my-*' }, []],
    ['any arguments of a shell', { pattern: '/bin/bash' }, ['too-wide']],
    ['any arguments of git, by a token', { pattern: 'git', args: ['...'] }, ['too-wide']],
    ['any arguments of git, by an expression', { pattern: 'git', argPattern: '.*' }, ['too-wide']],
    ['a subcommand of git', { pattern: 'git', args: ['status', '...'] }, []],
    ['no arguments of make', { pattern: 'make', args: [] }, []],
    ['a denial of any program', { pattern: '**', effect: 'deny' }, []],
    ['one very file', { pattern: '/src/run/make', sha256: 'a'.repeat(64) }, []],
  ];
  it.each(cases)('of %s', (_what, rule, expected) => {
    expect(codesOf(rule)).toEqual(expected);
  });

  it('says it in a sentence, with the rule and its agent', () => {
    const rule = { id: 'r1', pattern: 'git', createdAt: daysAgo(30) };
    const document = { version: 1, agents: { '*': { allowlist: [rule] } } } as const;
    expect(reviewRules(document, now)).toEqual([
      {
        agent: '*',
        ruleId: 'r1',
        code: 'never-used',
        level: 'hint',
        sentence:
          'It was never used since it was made 30 days ago. Delete it if you need it no more.',
      },
      {
        agent: '*',
        ruleId: 'r1',
        code: 'too-wide',
        level: 'warning',
        sentence:
          'It allows git with any arguments, and git can run or change more than you may think of. Say which arguments you mean.',
      },
    ]);
    expect(reviewRules({ version: 1 }, now)).toEqual([]);
  });
});
