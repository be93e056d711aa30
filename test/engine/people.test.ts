import { describe, expect, it } from 'vitest';
import { choiceOf, needsStepUp } from '../../shared/engine/ask.ts';
import { approversOf, presenceOf, fallBack } from '../../shared/engine/decide/decide.ts';
import {
  answerWords,
  approversWords,
  counted,
  isSamePerson,
  mayBeNamed,
  noAnswers,
} from '../../shared/engine/people.ts';
import type { AnswerEvent, Count, SignedYes } from '../../shared/engine/people.ts';
import { parsePolicy } from '../../shared/engine/policy/parse.ts';
import { policyFor } from '../../shared/engine/policy/resolve.ts';
import type { PolicyDocument, Rule } from '../../shared/engine/policy/types.ts';
import { sampleAsk } from '../support/sample-ask.ts';
import { plan, rule, verdictOn } from '../support/stages.ts';

const yes = (person: string | null, id: string): AnswerEvent<SignedYes> => ({
  kind: 'yes',
  yes: { person, passkey: { id, name: id } },
});

/** Each thing that can happen while two people are asked. */
const happenings: Readonly<Record<string, AnswerEvent<SignedYes>>> = {
  owner: yes(null, 'laptop'),
  ownerAgain: yes(null, 'phone'),
  ben: yes('Ben', 'blue'),
  benAgain: yes('  BEN ', 'green'),
  borrowed: yes('Eve', 'laptop'),
  no: { kind: 'no' },
  timeout: { kind: 'timeout' },
  gone: { kind: 'revoked', passkey: 'laptop' },
  benGone: { kind: 'revoked', passkey: 'blue' },
};

/** Every order of up to `most` things that happen, each any number of times. */
function* orders(most: number): Generator<readonly string[]> {
  let last: readonly (readonly string[])[] = [[]];
  for (let length = 1; length <= most; length += 1) {
    last = last.flatMap((before) => Object.keys(happenings).map((next) => [...before, next]));
    yield* last;
  }
}

const whoOf: Readonly<Record<string, { readonly who: string; readonly key: string }>> = {
  owner: { who: 'owner', key: 'laptop' },
  ownerAgain: { who: 'owner', key: 'phone' },
  ben: { who: 'ben', key: 'blue' },
  benAgain: { who: 'ben', key: 'green' },
  borrowed: { who: 'eve', key: 'laptop' },
};

/** What the words of the rule say of an order, told in another way than the code does. */
function expected(order: readonly string[]): Count<SignedYes>['ended'] {
  let standing: readonly string[] = [];
  for (const one of order) {
    if (one === 'no') return 'denied';
    if (one === 'timeout') return 'expired';
    if (one === 'gone') standing = standing.filter((name) => whoOf[name]?.key !== 'laptop');
    else if (one === 'benGone') standing = standing.filter((name) => whoOf[name]?.key !== 'blue');
    else {
      const before = standing.map((name) => whoOf[name]);
      const now = whoOf[one];
      if (before.some((each) => each?.who === now?.who || each?.key === now?.key))
        return 'repeated';
      standing = [...standing, one];
      if (standing.length === 2) return 'allowed';
    }
  }
  return null;
}

describe('two people', () => {
  it('allow in whatever order, and nothing else does: not one twice, not with a no, not too late', () => {
    let allowed = 0;
    for (const order of orders(5)) {
      let count = noAnswers<SignedYes>(2);
      for (const name of order) count = counted(count, happenings[name] as AnswerEvent<SignedYes>);
      if (count.ended !== expected(order)) expect([order, count.ended]).toEqual(expected(order));
      if (count.ended !== 'allowed') continue;
      allowed += 1;
      const [one, other] = count.given;
      expect(count.given).toHaveLength(2);
      expect(isSamePerson(one?.person ?? null, other?.person ?? null)).toBe(false);
    }
    expect(allowed).toBeGreaterThan(1_000);
  });

  it('are told apart as a reader does, and nobody is called the owner', () => {
    expect(isSamePerson('Ben', ' ben ')).toBe(true);
    expect(isSamePerson('Ｂen', 'Ben')).toBe(true);
    expect(isSamePerson('Ben', null)).toBe(false);
    expect(isSamePerson(null, null)).toBe(true);
    expect(['Owner', ' the  OWNER', '  '].map(mayBeNamed)).toEqual([false, false, false]);
    expect(mayBeNamed('Ben')).toBe(true);
    // Invisible, another script, a composed letter, a direction: nobody sees a difference.
    for (const name of ['Ben\u200b', '\u2060Ben', 'B\u0435n', 'Be\u00adn', 'Ben\u202e', '\u212cen'])
      expect([name, isSamePerson(name, 'ben')]).toEqual([name, true]);
    expect(isSamePerson('Zoe\u0301', 'zo\u00e9')).toBe(true);
    for (const name of [
      '\u043ewner',
      'owner\u200b',
      'the\u2003owner',
      '\u2800',
      '\u200b',
      'Der Eigentümer',
    ])
      expect([name, mayBeNamed(name)]).toEqual([name, false]);
    expect(isSamePerson('Zoé', 'Zoe')).toBe(false);
    expect(isSamePerson('Вася', 'Петя')).toBe(false);
  });

  it('are told in words', () => {
    expect(answerWords({ said: 'yes', via: 'app', person: 'Ben', passkey: 'blue' })).toBe(
      'yes by Ben with the passkey "blue"',
    );
    expect(answerWords({ said: 'no', via: 'terminal' })).toBe('no at a terminal');
    expect(answerWords({ said: 'yes', via: 'gateway', by: 'desk (a1), \u001Bin the app' })).toBe(
      'yes at the gateway desk (a1), ⟨ESCi⟩n the app',
    );
    expect(approversWords({})).toBeNull();
    expect(approversWords({ approvers: 2, answered: [{ person: null }] })).toMatch(
      /the owner said yes/u,
    );
  });
});

const push = { effect: 'ask', args: ['push', '...'] } as const;
const askPush = (more: Partial<Rule> = {}): Rule => rule('/usr/bin/git', { ...push, ...more });

describe('a policy that wants two people', () => {
  it('says so by a rule, over others that match in whatever order, and means a passkey each', () => {
    const others = [askPush(), askPush({ presence: 'passkey' })];
    for (const rules of [
      [askPush({ approvers: 2 }), ...others],
      [...others, askPush({ approvers: 2 })],
    ]) {
      const verdict = verdictOn(plan('git push'), { rules });
      expect(approversOf(verdict)).toBe(2);
      expect(presenceOf(verdict)).toBe('passkey');
      expect(fallBack(verdict).decision).toBe('deny');
    }
    expect(approversOf(verdictOn(plan('git push'), { rules: others }))).toBe(1);
  });

  it('says so by risk, level by level, and a name that nothing proves only adds to it', () => {
    const document: PolicyDocument = {
      version: 1,
      defaults: { approvers: { high: 2 } },
      agents: { a: { approvers: { high: 1 } }, b: { approvers: { low: 2 } } },
    };
    expect(policyFor(document, { agent: 'a' }).approvers).toEqual({ high: 1 });
    expect(policyFor(document, { agent: 'b' }).approvers).toEqual({ low: 2, high: 2 });
    expect(policyFor(document, { agent: 'c', claimed: 'a' }).approvers).toEqual({ high: 2 });
    expect(policyFor(document, { agent: 'a', claimed: 'b' }).approvers).toEqual({
      low: 2,
      high: 2,
    });
  });

  it.each([
    { approvers: 2 },
    { effect: 'allow', approvers: 2 },
    { effect: 'ask', kind: 'egress', pattern: 'a.example', approvers: 2 },
    { effect: 'ask', approvers: 3 },
    { effect: 'ask', approvers: 0 },
    { effect: 'ask', approvers: '2' },
  ])('is not valid with %j: nothing may run as if it said nothing', (one) => {
    const allowlist = [{ id: 'r', pattern: 'git', ...one }];
    expect(parsePolicy(JSON.stringify({ version: 1, agents: { a: { allowlist } } })).ok).toBe(
      false,
    );
  });

  it('makes asks that are allowed once, and remembered in no way', () => {
    const ask = sampleAsk({ approvers: 2 });
    expect(needsStepUp(ask)).toBe(true);
    expect(choiceOf(ask, { decision: 'allow-always' })).toBeNull();
  });
});
