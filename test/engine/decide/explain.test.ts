import { describe, expect, it } from 'vitest';
import { effectOf, explain } from '../../../shared/engine/decide/explain.ts';
import { allow, inputFor, plan, rule } from '../../support/stages.ts';

describe('the simulator', () => {
  it('names the rule that decides', () => {
    const deny = rule('rm', { effect: 'deny' });
    const make = allow('make');
    const input = inputFor(plan('make', 'rm x'), { rules: [make, deny] });
    expect(explain(input)).toMatchObject({ deciding: deny, fallback: null, toAllow: [] });
    expect(explain(inputFor(plan('make'), { rules: [make] })).deciding).toBe(make);
  });

  it('names none when several rules allow together', () => {
    const rules = [allow('make'), allow('git')];
    expect(explain(inputFor(plan('make', 'git x'), { rules })).deciding).toBeNull();
  });

  it('says what would have to be added, and what happens when nobody can be asked', () => {
    const explanation = explain(inputFor(plan('git status -s')));
    expect(explanation.fallback).toEqual({
      decision: 'deny',
      message: 'Nobody can be asked, and the policy then denies.',
    });
    expect(
      explanation.toAllow.map(({ rules }) => [rules[0]?.args ?? null, rules[0]?.only ?? null]),
    ).toEqual([
      [['status', '-s'], null],
      [['status', '...'], null],
      [null, 'reads'],
      [null, 'reads'],
    ]);
  });

  it('says which past commands new rules would have changed', () => {
    const rules = [allow('make'), allow('git')];
    const past = ['git status', 'git push', 'make', 'npm test', 'git status'].map((command) => ({
      command,
      input: inputFor(plan(command), { rules }),
    }));
    expect(effectOf([{ pattern: 'npm', args: ['test'] }], past)).toEqual({
      nowAllowed: ['npm test'],
      nowDenied: [],
      nowAsked: [],
    });
    expect(
      effectOf([{ effect: 'deny', pattern: 'git', args: ['push', '...'] }], past).nowDenied,
    ).toEqual(['git push']);
    expect(effectOf([{ effect: 'ask', pattern: 'make' }], past).nowAsked).toEqual(['make']);
  });
});
