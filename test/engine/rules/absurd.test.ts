import { describe, expect, it } from 'vitest';
import { editPolicy } from '../../../shared/engine/policy/edit.ts';
import type { PolicyChange } from '../../../shared/engine/policy/edit.ts';
import type { PolicyDocument, Rule } from '../../../shared/engine/policy/types.ts';
import { absurdAmong, sentenceOf } from '../../../shared/engine/rules/absurd.ts';

const withRules = (agent: string, ...rules: readonly Partial<Rule>[]): PolicyDocument => ({
  version: 1,
  agents: {
    [agent]: {
      allowlist: rules.map((rule, index) => ({ id: `r${index}`, pattern: 'ls', ...rule })),
    },
  },
});

const empty: PolicyDocument = { version: 1 };
const saidOf = (rule: Partial<Rule>, before: PolicyDocument = empty): readonly string[] =>
  absurdAmong(before, withRules('*', rule)).map(({ sentence }) => sentence);

describe('a new rule that can hardly be meant', () => {
  it.each<[string, Partial<Rule>, string]>([
    ['opens everything by a wildcard', { pattern: '*' }, 'It opens everything'],
    ['opens everything by two', { pattern: '**' }, 'It opens everything'],
    ['opens a folder of the system', { pattern: '/usr/bin/*' }, 'It opens everything'],
    ['opens everything with a last "..."', { pattern: '*', args: ['...'] }, 'It opens everything'],
    ['opens every file', { kind: 'edit', pattern: '**' }, 'everything of its kind'],
    ['opens every address', { kind: 'fetch', pattern: '*://**' }, 'everything of its kind'],
    ['opens every tool', { kind: 'mcp', pattern: '**' }, 'everything of its kind'],
    ['allows a shell with anything', { pattern: 'bash' }, 'bash runs any code'],
    ['allows it by its path', { pattern: '/bin/sh', args: ['...'] }, 'sh runs any code'],
    ['allows an interpreter with anything', { pattern: 'python3' }, 'python3 runs any code'],
    [
      'allows one with a pattern for anything',
      { pattern: 'node', argPattern: '.*' },
      'node runs any code',
    ],
    [
      'allows a shell with what its input says',
      { pattern: 'bash', args: [] },
      'bash runs any code',
    ],
    ['names a relative program', { pattern: 'bin/tool' }, 'can never match'],
    ['names a relative folder', { cwd: 'src/**' }, 'can never match'],
    ['names a relative target', { writes: ['out.txt'] }, 'can never match'],
    ['names a relative file', { kind: 'edit', pattern: 'src/**' }, 'can never match'],
    [
      'denies a relative file',
      { kind: 'edit', pattern: 'src/**', effect: 'deny' },
      'can never match',
    ],
    [
      'names an address without a scheme',
      { kind: 'fetch', pattern: 'example.org/**' },
      'https://example.org',
    ],
    ['names a tool without its server', { kind: 'mcp', pattern: 'github' }, 'server/tool'],
  ])('is one that %s', (_what, rule, sentence) => {
    expect(saidOf(rule)).toEqual([expect.stringContaining(sentence)]);
  });

  it.each<[string, Partial<Rule>]>([
    ['a program', { pattern: 'git' }],
    ['a program with arguments', { pattern: 'git', args: ['status', '...'] }],
    ['find, which mostly only looks', { pattern: 'find' }],
    ['a script by its name', { pattern: 'bash', args: ['./build.sh'] }],
    ['a version of an interpreter', { pattern: 'node', args: ['--version'] }],
    ['an interpreter by its content', { pattern: '/usr/bin/python3', sha256: 'a'.repeat(64) }],
    ['any program that tells its version', { pattern: '*', args: ['--version'] }],
    ['programs of a folder of one’s own', { pattern: '~/bin/*' }],
    ['any program in one folder', { pattern: '*', cwd: '~/scratch/**' }],
    ['that every program is asked about', { pattern: '*', effect: 'ask' }],
    ['that everything is denied', { pattern: '*', effect: 'deny' }],
    ['that shells are denied', { pattern: 'bash', effect: 'deny' }],
    ['files below the home', { kind: 'edit', pattern: '~/src/**' }],
    ['a site', { kind: 'fetch', pattern: 'https://example.org/**' }],
    ['the tools of a server', { kind: 'mcp', pattern: 'github/**' }],
    ['a folder of any name', { cwd: '**/project' }],
  ])('is not %s', (_what, rule) => {
    expect(saidOf(rule)).toEqual([]);
  });

  it.each<[string, Partial<Rule>, Partial<Rule>, boolean]>([
    ['the same words', { pattern: 'rm', args: ['x'] }, { pattern: 'rm', args: ['x'] }, true],
    [
      'the program with any arguments',
      { pattern: 'rm' },
      { pattern: '/usr/bin/rm', args: ['x'] },
      true,
    ],
    ['every program', { pattern: '*' }, { pattern: 'git' }, true],
    ['other arguments', { pattern: 'rm', args: ['y'] }, { pattern: 'rm', args: ['x'] }, false],
    ['one folder only', { pattern: 'rm', cwd: '~/a' }, { pattern: 'rm' }, false],
    ['a while only', { pattern: 'rm', expiresAt: 9 }, { pattern: 'rm' }, false],
    ['another kind', { kind: 'edit', pattern: '**' }, { pattern: 'git' }, false],
  ])('stands under a denial of %s: %#', (_what, denial, rule, isShadowed) => {
    const before = withRules('*', { ...denial, effect: 'deny', id: 'no' });
    const both = withRules('*', { ...denial, effect: 'deny', id: 'no' }, { ...rule, id: 'yes' });
    const said = absurdAmong(before, both).map(({ sentence }) => sentence);
    expect(said).toEqual(isShadowed ? [expect.stringContaining('the rule no denies')] : []);
    const own: PolicyDocument = {
      version: 1,
      agents: {
        ...before.agents,
        claude: withRules('claude', { ...rule, id: 'yes' }).agents?.['claude'] ?? {},
      },
    };
    expect(absurdAmong(before, own)).toHaveLength(isShadowed ? 1 : 0);
  });

  it('is not one that stood there before, nor one that was only used since', () => {
    const before = withRules('*', { pattern: '*' });
    expect(absurdAmong(before, withRules('*', { pattern: '*', uses: 3, lastUsedAt: 5 }))).toEqual(
      [],
    );
    expect(absurdAmong(before, withRules('*', { pattern: '*', note: 'new' }))).toHaveLength(1);
  });
});

describe('an edit', () => {
  const rule: Rule = { id: 'r', pattern: '*' };
  const changes: readonly (readonly [string, PolicyChange])[] = [
    ['add', { change: 'add', agent: '*', rules: [rule] }],
    [
      'patch',
      {
        change: 'patch',
        patch: { agents: { '*': { rules: { insert: [{ at: 0, items: [rule] }] } } } },
      },
    ],
    [
      'whole',
      { change: 'whole', document: { version: 1, agents: { '*': { allowlist: [rule] } } } },
    ],
  ];

  it.each(changes)(
    'is refused with a rule that can hardly be meant, unless it is meant: %s',
    (_what, change) => {
      const document: PolicyDocument = { version: 1, agents: { '*': { allowlist: [] } } };
      const check = (): readonly string[] => [];
      expect(editPolicy(document, [change], { check })).toMatchObject({
        ok: false,
        problem: {
          code: 'invalid-request',
          message: expect.stringContaining('It opens everything') as string,
        },
        doubts: [expect.stringContaining('The rule for * can hardly be meant') as string],
      });
      expect(editPolicy(document, [change], { check, accepted: true })).toMatchObject({ ok: true });
    },
  );
});

describe('what a rule does', () => {
  it.each<[string, Partial<Rule>, string]>([
    ['allow', { pattern: 'git', args: ['status', '...'] }, 'Allows every agent: git status …'],
    ['deny', { pattern: 'rm', effect: 'deny' }, 'Denies every agent: rm with any arguments.'],
    [
      'ask',
      { kind: 'edit', pattern: '~/x', effect: 'ask' },
      'Asks about every agent: changing ~/x.',
    ],
    [
      'for a while',
      { expiresAt: 0 },
      'Allows every agent: ls with any arguments, until 1970-01-01T00:00 UTC.',
    ],
  ])('is said in one sentence: %s', (_what, rule, sentence) => {
    expect(sentenceOf({ id: 'r', pattern: 'ls', ...rule }, '*')).toBe(sentence);
  });
});
