import { describe, expect, it } from 'vitest';
import { fallBack, presenceOf } from '../../../shared/engine/decide/decide.ts';
import { choiceOf, needsStepUp, offerOf } from '../../../shared/engine/ask.ts';
import { parsePolicy } from '../../../shared/engine/policy/parse.ts';
import { policyFor } from '../../../shared/engine/policy/resolve.ts';
import type { PolicyDocument, Rule } from '../../../shared/engine/policy/types.ts';
import { sampleAsk } from '../../support/sample-ask.ts';
import { allow, plan, rule, verdictOn } from '../../support/stages.ts';

const push = { effect: 'ask', args: ['push', '...'] } as const;
const askPush = (presence?: Rule['presence']): Rule =>
  rule('/usr/bin/git', { ...push, ...(presence !== undefined && { presence }) });

describe('what it takes to allow', () => {
  it.each<[string, readonly Rule[], Rule['presence'] | null]>([
    ['nothing but a click', [askPush()], null],
    ['what the rule says', [askPush('hold')], 'hold'],
    [
      'the strictest of several rules, in any order',
      [askPush('either'), askPush('passkey')],
      'passkey',
    ],
    ['a rule over one that says nothing', [askPush(), askPush('either')], 'either'],
  ])('is %s', (_what, rules, expected) => {
    expect(presenceOf(verdictOn(plan('git push'), { rules }))).toBe(expected);
  });

  it('is the strictest of rule and risk', () => {
    const verdict = verdictOn(plan('git push'), { rules: [askPush('either')] });
    const level = verdict.risk.level;
    const under = (presence: Rule['presence']) =>
      presenceOf({ ...verdict, policy: { ...verdict.policy, presence: { [level]: presence } } });
    expect([under('passkey'), under('hold'), under('either')]).toEqual([
      'passkey',
      'hold',
      'either',
    ]);
  });

  it('is found level by level, and a name that nothing proves only adds to it', () => {
    const document: PolicyDocument = {
      version: 1,
      defaults: { presence: { low: 'hold', high: 'passkey' } },
      agents: { '*': { presence: { low: 'either' } }, a: { presence: { high: 'hold' } } },
    };
    expect(policyFor(document, { agent: 'a' }).presence).toEqual({ low: 'either', high: 'hold' });
    expect(policyFor(document, { agent: 'b' }).presence).toEqual({
      low: 'either',
      high: 'passkey',
    });
    const claimed = policyFor(document, { agent: 'b', claimed: 'a' }).presence;
    expect(claimed).toEqual({ low: 'either', high: 'passkey' });
    expect(policyFor({ version: 1 }, { agent: 'a' }).presence).toBeUndefined();
  });

  it('holds where nobody can be asked', () => {
    const verdict = verdictOn(plan('git status'), {
      ask: 'always',
      askFallback: 'allowlist',
      rules: [allow('/usr/bin/git')],
    });
    expect(fallBack(verdict).decision).toBe('allow');
    const policy = { ...verdict.policy, presence: { [verdict.risk.level]: 'passkey' } } as const;
    expect(fallBack({ ...verdict, policy })).toMatchObject({ decision: 'deny' });
  });
});

describe('a policy that says what it takes', () => {
  const parsed = (one: object) =>
    parsePolicy(
      JSON.stringify({
        version: 1,
        agents: { a: { allowlist: [{ id: 'r', pattern: 'git', ...one }] } },
      }),
    );

  it('says it of rules that ask', () => {
    expect(parsed({ effect: 'ask', presence: 'passkey' }).ok).toBe(true);
  });

  it.each([
    { presence: 'passkey' },
    { effect: 'allow', presence: 'hold' },
    { effect: 'deny', presence: 'hold' },
    { effect: 'ask', kind: 'egress', pattern: 'a.example', presence: 'passkey' },
    { effect: 'ask', presence: 'finger' },
  ])('is not valid with %j: nothing may run as if it said nothing', (one) => {
    expect(parsed(one).ok).toBe(false);
  });
});

describe('an ask that takes more than a click', () => {
  const ask = sampleAsk({ presence: 'either' });

  it('is allowed once, and remembered in no way', () => {
    expect(needsStepUp(ask)).toBe(true);
    expect(needsStepUp(sampleAsk())).toBe(false);
    expect(offerOf(ask)).toEqual({ durations: [], proposals: [] });
    expect(choiceOf(ask, { decision: 'allow-once' })).toEqual({ kind: 'once' });
    expect(choiceOf(ask, { decision: 'allow-always' })).toBeNull();
  });
});
