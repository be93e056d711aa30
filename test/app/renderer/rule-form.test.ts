import { describe, expect, test } from 'vitest';
import { adviceFor, fitsAdvice, fitsSearch } from '../../../app/renderer/allowlist/Rules.tsx';
import { formOf, problemsOf, ruleOf } from '../../../app/renderer/allowlist/rule-form.ts';
import type { RuleForm } from '../../../app/renderer/allowlist/rule-form.ts';
import type { Rule } from '../../../shared/engine/policy/types.ts';

const now = Date.UTC(2026, 9, 14);
const good: RuleForm = { ...formOf(null), program: '/usr/bin/git', words: 'status' };

describe('the fields of a rule', () => {
  test('come back as the rule that they were made from', () => {
    const rule: Rule = {
      id: 'a',
      effect: 'deny',
      pattern: '/usr/bin/git',
      args: [['push', 'fetch'], '...'],
      cwd: '~/src/**',
      note: 'not from here',
      examples: { match: ['git push'], noMatch: ['git log'] },
      createdAt: 5,
      lastUsedAt: 7,
    };
    expect(ruleOf(formOf(rule), 'a', rule)).toEqual(rule);
  });

  test.each<Rule>([
    { id: 'a', effect: 'allow', kind: 'edit', pattern: '~/src/**', tool: 'Edit' },
    { id: 'a', effect: 'deny', kind: 'fetch', pattern: 'https://docs.example/**' },
    { id: 'a', effect: 'ask', kind: 'mcp', pattern: 'github/**' },
  ])('come back for a rule about $kind', (rule) => {
    expect(problemsOf(formOf(rule), now)).toEqual({});
    expect(ruleOf(formOf(rule), 'a', rule)).toEqual(rule);
  });

  test('keep how many people a rule that asks wants, and drop it where it asks no more', () => {
    const rule: Rule = { id: 'a', effect: 'ask', pattern: 'make', args: [], approvers: 2 };
    expect(ruleOf(formOf(rule), 'a', rule)).toEqual(rule);
    const allows = ruleOf({ ...formOf(rule), effect: 'allow' }, 'a', rule);
    expect(allows).not.toHaveProperty('approvers');
    const held = ruleOf({ ...formOf(rule), presence: 'hold' }, 'a', rule);
    expect(held).toMatchObject({ presence: 'hold' });
    expect(held).not.toHaveProperty('approvers');
  });

  test('drop what belongs to another kind of rule', () => {
    const edit = { ...good, kind: 'edit', program: '~/src/**' } as const;
    expect(ruleOf(edit, 'a', null)).not.toHaveProperty('args');
    expect(ruleOf({ ...good, tool: 'Edit' }, 'a', null)).not.toHaveProperty('tool');
  });

  test('keep what the form does not show', () => {
    const rule = { id: 'a', pattern: 'ls', sha256: 'f'.repeat(64), later: true } as Rule;
    expect(ruleOf(formOf(rule), 'a', rule)).toMatchObject({ sha256: 'f'.repeat(64), later: true });
  });

  test.each<Partial<Rule>>([{ env: ['CI=1', 'A=b=c'] }, { env: [] }, {}])(
    'keep what a rule says of variables: %o',
    (part) => {
      const rule: Rule = { id: 'a', effect: 'allow', pattern: 'make', args: [], ...part };
      expect(ruleOf(formOf(rule), 'a', rule)).toEqual(rule);
    },
  );

  test('take variables a line each, and only as NAME=value', () => {
    const form = { ...good, env: 'CI=1\n\nX_2=\n' };
    expect(problemsOf(form, now)).toEqual({});
    expect(ruleOf(form, 'a', null)).toMatchObject({ env: ['CI=1', 'X_2='] });
    expect(problemsOf({ ...good, env: 'CI=1\nCI' }, now)).toEqual({ env: 'env' });
    expect(problemsOf({ ...good, env: '2X=1' }, now)).toEqual({ env: 'env' });
  });

  test('tell "any arguments" from "no arguments"', () => {
    expect(formOf({ pattern: 'ls' }).argsMode).toBe('any');
    expect(formOf({ pattern: 'ls', args: [] }).argsMode).toBe('words');
    expect(ruleOf({ ...good, argsMode: 'any' }, 'a', null)).not.toHaveProperty('args');
    expect(ruleOf({ ...good, words: '' }, 'a', null)).toMatchObject({ args: [] });
  });

  test.each<[Partial<RuleForm>, object]>([
    [{}, {}],
    [{ program: '' }, { program: 'program' }],
    [{ program: 'bin/tool' }, { program: 'relative' }],
    [{ program: '/**' }, { program: 'everything' }],
    [{ program: '*' }, { program: 'everything' }],
    [{ words: "'" }, { words: 'quote' }],
    [{ argsMode: 'pattern', argPattern: '(' }, { argPattern: 'pattern' }],
    [{ argsMode: 'pattern', argPattern: '^-s$', words: "'" }, {}],
    [{ directory: 'src' }, { directory: 'directory' }],
    [{ directory: '~/src/**' }, {}],
    [{ expires: '2020-01-01T00:00' }, { expires: 'expiry' }],
    [{ expires: 'soon' }, { expires: 'expiry' }],
    [{ expires: '2030-01-01T00:00' }, {}],
  ])('%j have the problems %j', (part, problems) => {
    expect(problemsOf({ ...good, ...part }, now)).toEqual(problems);
  });
});

describe('advice on a rule', () => {
  const day = 86_400_000;
  test('advice goes by the rules of the agent in view, and is filtered by its kind', () => {
    const wide: Rule = { id: 'wide', pattern: '/usr/bin/python3' };
    const old: Rule = {
      id: 'old',
      pattern: '/usr/bin/cmake',
      args: ['x'],
      createdAt: now - 60 * day,
    };
    const document = {
      version: 1,
      agents: { a: { allowlist: [wide, old] }, b: { allowlist: [{ ...wide, id: 'other' }] } },
    } as const;
    const advice = adviceFor(document, 'a', now);
    expect([...advice.keys()]).toEqual(['wide', 'old']);
    expect(fitsAdvice(advice.get('wide') ?? [], 'wide')).toBe(true);
    expect(fitsAdvice(advice.get('wide') ?? [], 'unused')).toBe(false);
    expect(fitsAdvice(advice.get('old') ?? [], 'unused')).toBe(true);
    expect(fitsAdvice([], 'all')).toBe(true);
    expect(adviceFor(document, 'nobody', now).size).toBe(0);
  });

  test('a search looks at program, arguments and note', () => {
    const rule: Rule = { id: 'a', pattern: '/usr/bin/git', args: [['status', 'diff']], note: 'CI' };
    for (const search of ['GIT', 'diff', 'ci', ' ']) expect(fitsSearch(rule, search)).toBe(true);
    expect(fitsSearch(rule, 'push')).toBe(false);
  });
});
