import { describe, expect, it } from 'vitest';
import { attemptAnswer, choicesOf, labelOf, noteLimit } from '../../../app/bridge/answering.ts';
import { choiceOf } from '../../../shared/engine/index.ts';
import type { Proposal } from '../../../shared/engine/index.ts';
import type { Attempt } from '../../../app/bridge/answering.ts';
import { armDelayMs } from '../../../app/bridge/arming.ts';
import { queuedAsk } from '../../support/queued-ask.ts';

const shown = queuedAsk({ id: 'one' });
const risky = queuedAsk({ id: 'risky', risk: { level: 'high', findings: [] } });
const opaque = queuedAsk({
  id: 'opaque',
  opaque: { reason: 'command-substitution', detail: 'It runs another command.', span: null },
});
const queue = [shown, risky, opaque];
const shownAt = 1_000_000;
const armed = { queue, exposure: { shownAt, focusedAt: shownAt }, now: shownAt + armDelayMs };
const tooEarly = { ...armed, now: armed.now - 1 };
const allow: Attempt = { shown, decision: 'allow-once', confirmed: false };
const always: Attempt = {
  ...allow,
  decision: 'allow-always',
  duration: 'always',
  proposalId: shown.ask.proposals[0]?.id ?? '',
};

describe('an answer', () => {
  it('denies at any time while the ask waits', () => {
    expect(attemptAnswer({ ...allow, decision: 'deny' }, tooEarly)).toMatchObject({
      send: true,
      answer: { id: 'one', decision: 'deny' },
    });
  });

  const refused: readonly (readonly [string, Attempt, typeof armed, string])[] = [
    ['an allow before the delay is over', allow, tooEarly, 'not-armed'],
    [
      'an allow just after the window gained focus',
      allow,
      { ...armed, exposure: { shownAt, focusedAt: armed.now - 1 } },
      'not-armed',
    ],
    ['an allow when the clock jumped back', allow, { ...armed, now: shownAt - 1 }, 'not-armed'],
    ['an allow of an ask that is gone', allow, { ...armed, queue: [risky] }, 'gone'],
    [
      'an allow of an ask whose text is another now',
      allow,
      { ...armed, queue: [{ ...shown, askDigest: 'f'.repeat(64) }] },
      'gone',
    ],
    ['an unconfirmed allow of a high risk', { ...allow, shown: risky }, armed, 'needs-step-up'],
    [
      'remembering a high risk, though confirmed',
      { ...always, shown: risky, confirmed: true },
      armed,
      'not-offered',
    ],
    ['remembering an opaque command', { ...always, shown: opaque }, armed, 'not-offered'],
    ['a proposal that was not made', { ...always, proposalId: 'other' }, armed, 'not-offered'],
    ['remembering for "once"', { ...always, duration: 'once' }, armed, 'not-offered'],
  ];
  it.each(refused)('is not sent for %s', (_name, attempt, situation, because) => {
    expect(attemptAnswer(attempt, situation)).toEqual({ send: false, because });
  });

  it('allows a high risk once it is confirmed', () => {
    const attempt = { ...allow, shown: risky, confirmed: true };
    expect(attemptAnswer(attempt, armed)).toMatchObject({ send: true });
  });

  it('carries what is to be remembered', () => {
    expect(attemptAnswer(always, armed)).toEqual({
      send: true,
      answer: {
        id: 'one',
        askDigest: shown.askDigest,
        decision: 'allow-always',
        remember: { duration: 'always', proposalId: always.proposalId },
      },
    });
  });

  it('trims the note, and leaves an empty one out', () => {
    const deny: Attempt = { ...allow, decision: 'deny' };
    expect(attemptAnswer({ ...deny, note: '  use git push\n' }, armed)).toMatchObject({
      answer: { note: 'use git push' },
    });
    expect(attemptAnswer({ ...deny, note: '   ' }, armed)).not.toHaveProperty('answer.note');
    const long = attemptAnswer({ ...deny, note: 'x'.repeat(noteLimit + 5) }, armed);
    expect(long.send && long.answer.note?.length).toBe(noteLimit);
  });

  it('offers no durations where nothing can be remembered', () => {
    expect(choicesOf(risky)).toMatchObject({ remember: false, durations: [], stepUp: true });
    expect(choicesOf(shown).durations).not.toContain('once');
  });
});

describe('the words of the button beside "allow once"', () => {
  const proposal = (rules: Proposal['rules']): Proposal => ({
    id: 'p',
    scope: 'exact',
    sentence: 'Allow it.',
    rules,
    pastCommands: [],
  });
  it.each([
    [{ pattern: '/usr/bin/git', args: ['status', '...'] }, 'git status …'],
    [{ pattern: '/usr/bin/ls' }, 'ls …'],
    [{ pattern: '/usr/bin/cat', args: ['[!-]**'] }, 'cat *'],
    [{ pattern: String.raw`/opt/a\*b`, args: [String.raw`\*`] }, 'a*b *'],
  ])('say what a rule covers: %j', (rule, label) => {
    expect(labelOf(shown.ask, proposal([rule]))).toBe(label);
  });

  it('call the program as the command does', () => {
    const [stage] = shown.ask.stages;
    if (stage === undefined) throw new Error('no stage');
    const path = '/usr/lib/npm/bin/npm-cli.js';
    const ask = { stages: [{ ...stage, argv: ['npm', 'test'], resolvedPath: path }] };
    expect(labelOf(ask, proposal([{ pattern: path, args: ['test'] }]))).toBe('npm test');
  });

  it('are none where they would have to be cut, or several rules be told', () => {
    const long = { pattern: '/usr/bin/git', args: ['commit', '-m', 'x'.repeat(60)] };
    expect(labelOf(shown.ask, proposal([long]))).toBeNull();
    expect(labelOf(shown.ask, proposal([{ pattern: '/bin/a' }, { pattern: '/bin/b' }]))).toBeNull();
    expect(labelOf(shown.ask, proposal([{ pattern: '/a', kind: 'edit' }]))).toBeNull();
    expect(labelOf(shown.ask, proposal([]))).toBeNull();
  });
});

describe('a "no" for good', () => {
  const never = {
    id: 'never-host',
    scope: 'exact' as const,
    sentence: 'Never.',
    rules: [{ kind: 'egress' as const, effect: 'deny' as const, pattern: 'a.example' }],
    pastCommands: [],
  };
  const host = queuedAsk({ id: 'host', kind: 'egress', never });
  const situation = { ...armed, queue: [host, shown] };
  const forGood: Attempt = { shown: host, decision: 'deny', never: true, confirmed: false };

  it('names the rule that was shown', () => {
    const sent = attemptAnswer(forGood, situation);
    expect(sent).toMatchObject({
      send: true,
      answer: { decision: 'deny', remember: { duration: 'always', proposalId: 'never-host' } },
    });
    if (sent.send) expect(choiceOf(host.ask, sent.answer)?.kind).toBe('never');
  });

  it('waits until the view is armed, as it writes a rule', () => {
    expect(attemptAnswer(forGood, { ...situation, now: tooEarly.now })).toMatchObject({
      because: 'not-armed',
    });
  });

  it('is none where the ask offers none, or another', () => {
    expect(attemptAnswer({ ...forGood, shown }, situation)).toMatchObject({
      because: 'not-offered',
    });
    const remember = { duration: 'always', proposalId: 'never-host' } as const;
    expect(choiceOf(shown.ask, { decision: 'deny', remember })).toBeNull();
    expect(
      choiceOf(host.ask, { decision: 'deny', remember: { ...remember, proposalId: 'x' } }),
    ).toBeNull();
    expect(
      choiceOf(host.ask, { decision: 'deny', remember: { ...remember, duration: 'session' } }),
    ).toBeNull();
    expect(choiceOf(host.ask, { decision: 'allow-always', remember })).toBeNull();
  });
});
