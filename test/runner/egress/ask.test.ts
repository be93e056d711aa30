import { describe, expect, it } from 'vitest';
import { compile, refuse } from '../../../shared/base/index.ts';
import { askerOf, askSchema, defaultConfig, holdsFor } from '../../../shared/engine/index.ts';
import type { Ask, Decision, Rule, Target } from '../../../shared/engine/index.ts';
import { answersBehind, createHostQuestions } from '../../../runner/egress/ask.ts';
import { createGrants } from '../../../runner/gate/grants.ts';
import type { AskDraft, AskEnding, AskOptions } from '../../../runner/gate/ports.ts';

const target: Target = { host: 'registry.example', address: null, port: 443 };
const who = { agent: 'claude', session: 's', box: 'box-1', cwd: '/work' };

/** Questions, and a person who is told of each and answers when the test says so. */
function questions(limits = {}) {
  let now = 1_000;
  const asked: { draft: AskDraft; options: AskOptions; answer: (ending: AskEnding) => void }[] = [];
  const grants = createGrants(() => now);
  let id = 0;
  const saved: { agent: string; rules: readonly Rule[] }[] = [];
  const ruled = {
    verdict: 'ask' as 'allow' | 'ask' | 'deny',
    broken: false,
    locked: false,
    presence: null as 'passkey' | null,
  };
  const made = createHostQuestions({
    clock: { now: () => now, elapsed: () => now, after: () => () => {} },
    newId: () => String((id += 1)),
    grants,
    admit: () => {
      if (ruled.locked) throw refuse('lockout-active', 'The box "fix" is locked.', 'Wait.');
    },
    config: () => ({ ...defaultConfig, limits: { ...defaultConfig.limits, ...limits } }),
    log: { warn: () => {} },
    policyVerdict: () => ruled.verdict,
    presence: () => ruled.presence,
    approvers: () => 1,
    save: async (agent, rules) => {
      if (ruled.broken) throw new Error('the disk is full');
      saved.push({ agent, rules });
      ruled.verdict = rules[0]?.effect === 'deny' ? 'deny' : 'allow';
    },
    approver: {
      ask: async (draft, options) =>
        new Promise((answer) => {
          asked.push({ draft, options, answer });
          options.signal.addEventListener('abort', () =>
            answer({ kind: 'stopped', reason: 'requester-gone' }),
          );
        }),
    },
  });
  const decided = (at: number, decision: Partial<Decision>): void => {
    const { draft, answer } = asked[at] as (typeof asked)[number];
    const ask: Ask = { ...draft, createdAt: 0, expiresAt: 1 };
    answer({
      kind: 'decided',
      ask,
      via: 'app',
      decision: { id: ask.id, askDigest: '', decision: 'deny', ...decision },
    });
  };
  const alive = () => new AbortController();
  const ask = made.ask.bind(made);
  const ended = made.ended.bind(made);
  return {
    ask,
    ended,
    asked,
    decided,
    grants,
    alive,
    saved,
    ruled,
    wait: (ms: number) => (now += ms),
  };
}

const code = async (answer: Promise<unknown>): Promise<unknown> =>
  answer.then(
    (how) => (how as { code: string }).code,
    (error: unknown) => (error as { refusal: { code: string } }).refusal.code,
  );

describe('a question about a host', () => {
  it('says who wants to reach what, and offers "always" and "never" in words', async () => {
    const one = questions();
    const answer = one.ask(who, target, one.alive().signal);
    expect(one.asked[0]?.draft).toMatchObject({
      kind: 'egress',
      agent: 'claude',
      command: 'registry.example:443',
      cwd: '/work',
      durations: ['once', '15-minutes', 'session', 'until-restart', 'always'],
      proposals: [
        { sentence: 'Lets claude reach registry.example:443 with whatever it runs in a sandbox.' },
      ],
      never: { sentence: 'Never lets claude reach registry.example, on any port.' },
    });
    const shown = { ...one.asked[0]?.draft, createdAt: 0, expiresAt: 1 };
    expect(compile(askSchema)(shown).ok).toBe(true);
    one.decided(0, { decision: 'allow-once' });
    expect(await answer).toMatchObject({ code: 'allow-once' });
  });

  it('of an agent whose name nothing proves says so in words, and that an "always" is everybody\'s', () => {
    const one = questions();
    void one.ask({ ...who, agent: '*' }, target, one.alive().signal);
    const { draft } = one.asked[0] ?? {};
    expect(draft?.why).toBe(
      'A command of an unproven agent in the sandbox wants to reach registry.example:443, which no rule allows.',
    );
    expect(draft?.proposals[0]?.sentence).toBe(
      'Lets every agent reach registry.example:443 with whatever it runs in a sandbox.',
    );
    expect(draft?.never?.sentence).toBe(
      'Never lets any agent reach registry.example, on any port.',
    );
    expect(askerOf({ agent: '*' })).toBe('An unproven agent');
    expect(holdsFor('*', 'always', false)).toBe(holdsFor('claude', 'always', true));
    expect(holdsFor('*', 'session', false)).toBe('Holds for unproven agents only.');
    expect(holdsFor('claude', 'always', false)).toBe('Holds for claude only.');
  });

  it('says how long "once" holds: for a command, and in a named box for as long as that stands', () => {
    const one = questions();
    for (const agent of ['claude', 'box-demo'])
      void one.ask({ ...who, agent }, target, one.alive().signal);
    expect(one.asked.map(({ draft }) => draft.stages[0]?.why)).toEqual([
      'No rule allows this host. "Once" holds until this command ends.',
      'No rule allows this host. "Once" holds until this box is stopped, or the runner.',
    ]);
  });

  it('is put once for all connections that wait, and its yes holds for the box', async () => {
    const one = questions();
    const both = [1, 2].map(async () => one.ask(who, target, one.alive().signal));
    expect(one.asked).toHaveLength(1);
    one.decided(0, { decision: 'allow-once' });
    expect(await Promise.all(both)).toMatchObject([{ code: 'allow-once' }, { code: 'allow-once' }]);
    expect(await one.ask(who, target, one.alive().signal)).toMatchObject({ code: 'allow-once' });
    expect(one.asked).toHaveLength(1);
  });

  it('is put again for another port, another box, and once the box has ended', async () => {
    const one = questions();
    void one.ask(who, target, one.alive().signal);
    one.decided(0, { decision: 'allow-once' });
    await one.ask(who, target, one.alive().signal);
    void one.ask(who, { ...target, port: 22 }, one.alive().signal);
    void one.ask({ ...who, box: 'box-2' }, target, one.alive().signal);
    one.ended('box-1');
    void one.ask(who, target, one.alive().signal);
    expect(one.asked).toHaveLength(4);
  });

  it('is answered for a while by a grant, which can be taken back', async () => {
    const one = questions();
    const answer = one.ask(who, target, one.alive().signal);
    const remember = { duration: '15-minutes', proposalId: 'same-host' } as const;
    one.decided(0, { decision: 'allow-always', remember });
    expect(await answer).toMatchObject({ code: 'allow-always' });
    const other = { ...who, box: 'box-2', session: 't' };
    expect(await one.ask(other, target, one.alive().signal)).toMatchObject({ code: 'grant' });
    expect(one.grants.list()).toMatchObject([
      { grant: { covers: { command: 'registry.example:443' } } },
    ]);
    one.wait(15 * 60_000);
    void one.ask({ ...other, box: 'box-3' }, target, one.alive().signal);
    expect(one.asked).toHaveLength(2);
    void one.ask({ ...other, agent: 'codex' }, target, one.alive().signal);
    expect(one.asked).toHaveLength(3);
  });

  it('that was answered with no is not put again for the box', async () => {
    const one = questions();
    const answer = code(one.ask(who, target, one.alive().signal));
    one.decided(0, { decision: 'deny', note: 'use the mirror' });
    expect(await answer).toBe('confirm-rejected');
    await expect(one.ask(who, target, one.alive().signal)).rejects.toThrow('use the mirror');
    expect(one.asked).toHaveLength(1);
  });

  it.each([
    [{ kind: 'expired' }, 'approval-timeout'],
    [{ kind: 'unreachable' }, 'approver-unavailable'],
    [{ kind: 'lost', detail: 'Gone.' }, 'approver-unavailable'],
    [{ kind: 'stopped', reason: 'lockout' }, 'lockout-active'],
    [{ kind: 'stopped', reason: 'box-lockout' }, 'lockout-active'],
    [{ kind: 'covered' }, 'approver-unavailable'],
  ] as const)('that ends as %j is a no', async (ending, expected) => {
    const one = questions();
    const answer = code(one.ask(who, target, one.alive().signal));
    one.asked[0]?.answer(ending);
    expect(await answer).toBe(expected);
    void one.ask(who, target, one.alive().signal);
    expect(one.asked).toHaveLength(2);
  });

  it('that ends with the lock of its box says so', async () => {
    const one = questions();
    const answer = one.ask(who, target, one.alive().signal);
    one.ruled.locked = true;
    one.asked[0]?.answer({ kind: 'stopped', reason: 'box-lockout' });
    await expect(answer).rejects.toThrow('The box "fix" is locked.');
  });

  it('that was answered with what it did not offer is a no', async () => {
    const one = questions();
    const answer = code(one.ask(who, target, one.alive().signal));
    const remember = { duration: 'always', proposalId: 'another' } as const;
    one.decided(0, { decision: 'allow-always', remember });
    expect(await answer).toBe('confirm-rejected');
    expect(one.saved).toEqual([]);
    expect(one.grants.list()).toEqual([]);
  });

  it('that is answered with always writes the rule, and the rule alone lets it through', async () => {
    const one = questions();
    const answer = one.ask(who, target, one.alive().signal);
    const remember = { duration: 'always', proposalId: 'same-host' } as const;
    one.decided(0, { decision: 'allow-always', remember });
    expect(await answer).toMatchObject({ code: 'allow-always' });
    expect(one.saved).toEqual([
      {
        agent: 'claude',
        rules: [
          {
            id: '2',
            kind: 'egress',
            effect: 'allow',
            pattern: 'registry.example:443',
            source: 'allow-always',
            createdAt: 1_000,
          },
        ],
      },
    ]);
    one.ruled.verdict = 'ask';
    void one.ask(who, target, one.alive().signal);
    expect(one.asked).toHaveLength(2);
  });

  it('that is answered with never writes a denial of every port of that host', async () => {
    const one = questions();
    const answer = code(one.ask(who, target, one.alive().signal));
    const remember = { duration: 'always', proposalId: 'never-host' } as const;
    one.decided(0, { decision: 'deny', remember });
    expect(await answer).toBe('confirm-rejected');
    expect(one.saved).toMatchObject([
      { rules: [{ kind: 'egress', effect: 'deny', pattern: 'registry.example' }] },
    ]);
  });

  it.each([
    ['allow-always', 'same-host', 'allow-always'],
    ['deny', 'never-host', 'confirm-rejected'],
  ] as const)('holds for the box where the rule of %s cannot be written', async (word, id, how) => {
    const one = questions();
    one.ruled.broken = true;
    const answer = code(one.ask(who, target, one.alive().signal));
    const remember = { duration: 'always', proposalId: id } as const;
    one.decided(0, { decision: word, remember });
    expect(await answer).toBe(how);
    const again = code(one.ask(who, target, one.alive().signal));
    expect(await again).toBe(word === 'deny' ? 'confirm-rejected' : 'allow-once');
    expect(one.asked).toHaveLength(1);
  });

  it('says who answered, to each that it allows, and shows what was signed for one of them', async () => {
    const one = questions();
    const proof = {
      passkey: { id: 'blue', name: 'blue key' },
      person: 'Ben',
      askDigest: 'd',
      assertion: { id: 'blue', clientDataJSON: 'a', authenticatorData: 'a', signature: 'a' },
    };
    const both = [1, 2].map(async () => one.ask(who, target, one.alive().signal));
    const { draft, answer } = one.asked[0] as (typeof one.asked)[number];
    const ask: Ask = { ...draft, createdAt: 0, expiresAt: 1 };
    const decision = { id: ask.id, askDigest: '', decision: 'allow-once' } as const;
    answer({ kind: 'decided', ask, via: 'app', decision, proof });
    const [first, second] = await Promise.all(both);
    const answers = [{ said: 'yes', via: 'app', person: 'Ben', passkey: 'blue key' }];
    expect(first).toEqual({ code: 'allow-once', answers, proof: { ...proof, askId: ask.id } });
    expect(second).toEqual({ code: 'allow-once', answers });
    expect(await one.ask(who, target, one.alive().signal)).toEqual(second);
  });

  it('says who said no, to the record alone', async () => {
    const one = questions();
    const refused = one.ask(who, target, one.alive().signal).catch((error: unknown) => error);
    one.decided(0, { decision: 'deny' });
    expect(answersBehind(await refused)).toEqual([{ said: 'no', via: 'app' }]);
    expect(answersBehind(new Error('another'))).toEqual([]);
  });

  it('is taken back for a rule that came meanwhile', async () => {
    const one = questions();
    const answer = one.ask(who, target, one.alive().signal);
    expect(one.asked[0]?.options.covered?.()).toBe(false);
    one.ruled.verdict = 'allow';
    expect(one.asked[0]?.options.covered?.()).toBe(true);
    one.asked[0]?.answer({ kind: 'covered' });
    expect(await answer).toMatchObject({ code: 'rule-allow' });
  });

  it('is withdrawn when the last one that waits has gone, and not before', async () => {
    const one = questions();
    const [first, second] = [one.alive(), one.alive()];
    const both = [first, second].map(async ({ signal }) => code(one.ask(who, target, signal)));
    first.abort();
    expect(one.asked[0]?.options.signal.aborted).toBe(false);
    second.abort();
    expect(await Promise.all(both)).toEqual(['requester-gone', 'requester-gone']);
  });

  it('is one of a bounded number, and comes no faster than others', async () => {
    const many = questions({ pendingPerAgent: 1 });
    void many.ask(who, target, many.alive().signal);
    const next = { ...target, host: 'b.example' };
    expect(await code(many.ask(who, next, many.alive().signal))).toBe('rate-limit');
    const fast = questions({ askBurst: 1, asksPerMinute: 1 });
    void fast.ask(who, target, fast.alive().signal);
    expect(await code(fast.ask(who, next, fast.alive().signal))).toBe('rate-limit');
    fast.wait(60_000);
    void fast.ask(who, next, fast.alive().signal);
    expect(fast.asked).toHaveLength(2);
  });
});
