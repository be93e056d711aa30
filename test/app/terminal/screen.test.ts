import { describe, expect, it } from 'vitest';
import { armDelayMs } from '../../../app/bridge/arming.ts';
import { reducePaste } from '../../../app/terminal/reduce.ts';
import type { Effect } from '../../../app/terminal/screen-state.ts';
import { takeState } from '../../../app/terminal/reduce.ts';
import type { KeyPress } from '../../../app/bridge/keys.ts';
import { queuedAsk } from '../../support/queued-ask.ts';
import { appState, later, press, screenWith, start } from './support.ts';

const one = queuedAsk({ id: 'one' });
const two = queuedAsk({ id: 'two', createdAt: start + 1 });
const risky = queuedAsk({ id: 'risky', risk: { level: 'high', findings: [] } });

const answer = (id: string, decision: string, more: object = {}): object => ({
  type: 'answer',
  answer: expect.objectContaining({ id, decision, ...more }),
});

const effects: readonly (readonly [string, readonly (string | KeyPress)[], object | null])[] = [
  ['d denies', ['d'], answer('one', 'deny')],
  ['Escape denies', ['Escape'], answer('one', 'deny')],
  ['a allows once', ['a'], answer('one', 'allow-once')],
  [
    'A remembers always',
    ['A'],
    answer('one', 'allow-always', { remember: { duration: 'always', proposalId: 'p1' } }),
  ],
  [
    '3 and A remember it for the session',
    ['3', 'A'],
    answer('one', 'allow-always', { remember: { duration: 'session', proposalId: 'p1' } }),
  ],
  ['1 and A allow once', ['1', 'A'], answer('one', 'allow-once')],
  ['a duration that is not offered is not taken', ['2'], null],
  ['j and d deny the next', ['j', 'd'], answer('two', 'deny')],
  ['k at the top stays there', ['k', 'd'], answer('one', 'deny')],
  ['a note goes along', ['n', 'h', 'i', 'Enter', 'd'], answer('one', 'deny', { note: 'hi' })],
  ['Escape leaves the note and answers nothing', ['n', 'h', 'Escape'], null],
  ['L and y lock everything out', ['L', 'y'], { type: 'lockout' }],
  ['L and another key do nothing', ['L', 'L'], null],
  ['Control and c leave', [{ key: 'c', ctrlKey: true }], { type: 'quit' }],
  ['a held key answers nothing', [{ key: 'a', repeat: true }], null],
  ['a held y locks nothing', ['L', { key: 'y', repeat: true }], null],
  ['help swallows the next key', ['?', 'a'], null],
];

describe('a key', () => {
  it.each(effects)('does what it should: %s', (_name, keys, effect) => {
    expect(press(screenWith(one, two), keys).effect).toEqual(effect);
  });

  it('remembers as wide as is suggested, and another width only after it was in view', () => {
    const [narrow] = one.ask.proposals;
    if (narrow === undefined) throw new Error('the sample offers nothing');
    const wide = { ...narrow, id: 'p2', suggested: true };
    const screen = screenWith(queuedAsk({ id: 'one', proposals: [narrow, wide] }));
    const remembered = (proposalId: string) =>
      answer('one', 'allow-always', { remember: { duration: 'always', proposalId } });
    expect(press(screen, ['A']).effect).toEqual(remembered('p2'));
    const next = press(screen, ['Tab', 'A']);
    expect(next.effect).toBeNull();
    expect(press(next.state, ['A'], later + armDelayMs).effect).toEqual(remembered('p1'));
  });

  it('allows nothing before the delay is over, but denies', () => {
    const screen = screenWith(one);
    const early = press(screen, ['a'], later - 1);
    expect(early.effect).toBeNull();
    expect(early.state.message?.text).toContain('Too fast');
    expect(press(screen, ['d'], later - 1).effect).toEqual(answer('one', 'deny'));
  });

  it('does not allow the next ask before it was in view for long enough', () => {
    const { state } = press(screenWith(one, two), ['j']);
    expect(press(state, ['a'], later + 1).effect).toBeNull();
  });

  it('does nothing while no ask waits', () => {
    for (const key of ['a', 'd', 'A', 'n', 'j', '3']) {
      expect(press(screenWith(), [key]).effect).toBeNull();
    }
  });
});

describe('a high risk', () => {
  const typed = (word: string): Effect | null =>
    press(screenWith(risky), ['a', ...Array.from(word), 'Enter']).effect;

  it('is allowed by typing the word', () => {
    expect(typed('yes')).toEqual(answer('risky', 'allow-once'));
  });

  it.each(['', 'y', 'no', 'yes!'])('is not allowed by typing "%s"', (word) => {
    expect(typed(word)).toBeNull();
  });

  it('is never remembered', () => {
    expect(press(screenWith(risky), ['A']).effect).toBeNull();
    expect(press(screenWith(risky), ['A', 'y', 'e', 's', 'Enter']).effect).toBeNull();
  });
});

describe('an ask that leaves by itself', () => {
  const leaving = (keys: readonly string[]) =>
    takeState(press(screenWith(one, two), keys).state, appState([two]), later);

  it('gives its place to the oldest, and for a moment no key counts', () => {
    const screen = leaving([]);
    expect(screen).toMatchObject({ shown: 'two', message: { tone: 'caution' } });
    expect(press(screen, ['d'], later + 599).effect).toBeNull();
    expect(press(screen, ['d'], later + 600).effect).toEqual(answer('two', 'deny'));
  });

  it('takes its note and its choices with it', () => {
    expect(leaving(['5', 'n', 'x', 'Enter'])).toMatchObject({ note: '', duration: null });
  });

  it.each([[['n', 'x']], [['a']]])(
    'leaves what is typed for it pointless, until Enter: %j',
    (keys: string[]) => {
      const screen = takeState(press(screenWith(risky, two), keys).state, appState([two]), later);
      const typing = press(screen, ['a', 'd', 'y', 'A'], later + 9_000);
      expect(typing.effect).toBeNull();
      expect(press(typing.state, ['Enter', 'a'], later + 9_000).effect).toEqual(
        answer('two', 'allow-once'),
      );
    },
  );

  it('does not disturb the one in view when it was another', () => {
    const screen = takeState(press(screenWith(one, two), ['j']).state, appState([two]), later);
    expect(screen).toMatchObject({ shown: 'two', message: null, replacedAt: null });
  });
});

describe('a paste', () => {
  it('becomes part of a note as one line', () => {
    const { state } = press(screenWith(one), ['n']);
    const pasted = reducePaste(state, 'use\n git\u0007 push');
    expect(press(pasted, ['Enter', 'd']).effect).toEqual(
      answer('one', 'deny', { note: 'use git push' }),
    );
  });

  it('means nothing anywhere else', () => {
    const screen = screenWith(one);
    expect(reducePaste(screen, 'a')).toBe(screen);
    const { state } = press(screenWith(risky), ['a']);
    expect(reducePaste(state, 'yes')).toBe(state);
  });
});
