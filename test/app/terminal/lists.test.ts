import { describe, expect, it } from 'vitest';
import type { AppState } from '../../../app/bridge/types.ts';
import { readHistory, performEffect } from '../../../app/terminal/session.ts';
import type { ScreenState } from '../../../app/terminal/screen-state.ts';
import { takeState } from '../../../app/terminal/reduce.ts';
import { viewScreen } from '../../../app/terminal/view.ts';
import { queuedAsk } from '../../support/queued-ask.ts';
import { appState, later, press, screenWith, start } from './support.ts';

const one = queuedAsk({ id: 'one', command: 'git status -s' });
const two = queuedAsk({ id: 'two', command: 'git status -b', createdAt: start + 1 });
const other = queuedAsk({ id: 'other', agent: 'codex' });
const risky = ['r1', 'r2'].map((id) => queuedAsk({ id, risk: { level: 'high', findings: [] } }));

const textOf = (state: ScreenState, rows = 40): string =>
  viewScreen(state, { columns: 60, rows, now: later })
    .map((line) => line.map(({ text }) => text).join(''))
    .join('\n');

const answers = (decision: string, ...ids: readonly string[]): object => ({
  type: 'answers',
  decision,
  answers: ids.map((id) => expect.objectContaining({ id, decision }) as object),
});

const { state: open } = press(screenWith(one, other, two), ['g']);
const word = ['y', 'e', 's', 'Enter'] as const;

describe('the list of requests that are alike', () => {
  it('shows every command before anything can be answered', () => {
    const text = textOf(open);
    expect(text).toContain('2 asks of claude that are alike');
    expect(text).toContain('git status -s');
    expect(text).toContain('git status -b');
    expect(text).not.toContain('3. ');
  });

  it('is denied with one key, and with no other request', () => {
    expect(press(open, ['d']).effect).toEqual(answers('deny', 'one', 'two'));
  });

  it('is allowed with a key and the word', () => {
    expect(press(open, ['a', ...word], later + 1_000).effect).toEqual(
      answers('allow-once', 'one', 'two'),
    );
  });

  it.each([
    ['the key alone', ['a']],
    ['another word', ['a', 'y', 'Enter']],
    ['Escape after the word', ['a', 'y', 'e', 's', 'Escape']],
    ['Escape', ['Escape']],
    ['a key that repeats', [{ key: 'd', repeat: true }]],
    ['a key of the prompt', ['A']],
  ] as const)('is not answered by %s', (_what, keys) => {
    expect(press(open, keys, later + 1_000).effect).toBeNull();
  });

  it('is not allowed in the moment in which it opens', () => {
    expect(press(open, ['a', ...word], later).effect).toBeNull();
  });

  it('never allows high risks together, but denies them', () => {
    const list = press(screenWith(...risky), ['g']).state;
    expect(press(list, ['a', ...word], later + 1_000).effect).toBeNull();
    expect(press(list, ['d']).effect).toEqual(answers('deny', 'r1', 'r2'));
  });

  it('takes in none that comes while it is open', () => {
    const late = queuedAsk({ id: 'late', command: 'git status -v' });
    const state = takeState(open, appState([one, other, two, late]), later);
    expect(press(state, ['d']).effect).toEqual(answers('deny', 'one', 'two'));
  });

  it('does not open for a request that is like no other', () => {
    const { state } = press(screenWith(one, other), ['g']);
    expect(state.focus.kind).toBe('queue');
    expect(textOf(state)).toContain('No other ask is like this one.');
  });

  it('says how many counted', async () => {
    const host = {
      handle: async () => ({ ok: true, result: { accepted: [true, false] } }) as const,
    };
    const { effect } = press(open, ['d']);
    if (effect?.type !== 'answers') throw new Error('no answers');
    expect(await performEffect(host, effect)).toEqual({
      text: 'Denied: 1. Gone already: 1.',
      tone: 'caution',
    });
  });
});

describe('what was missed and what was decided', () => {
  const missed: AppState['missed'] = [
    { ask: queuedAsk({ command: 'rm \u202e -rf x' }).ask, reason: 'expired', at: start },
  ];

  it('are read on keys of their own, and any other key goes back', () => {
    const app = { ...screenWith(one), app: appState([one], { missed }) };
    const { state } = press(app, ['m']);
    expect(textOf(state)).toContain('Time ran out');
    expect(textOf(state)).not.toContain('\u202e');
    expect(press(state, ['d'])).toMatchObject({
      effect: null,
      state: { focus: { kind: 'queue' } },
    });
    expect(press(app, ['h']).effect).toEqual({ type: 'history' });
  });

  it('are scrolled without leaving', () => {
    const entry = {
      id: 'h',
      at: start,
      agent: 'claude',
      session: null,
      cwd: '/',
      exitCode: 0,
      host: 'gateway',
    };
    const entries = Array.from({ length: 30 }, (_, index) => ({
      ...entry,
      command: `echo ${index}`,
      decision: 'allow' as const,
      code: 'rule-allow',
      by: 'policy' as const,
    }));
    const state: ScreenState = { ...screenWith(), focus: { kind: 'history', entries } };
    expect(textOf(state, 12)).toContain('echo 0');
    const down = press(state, [' ']).state;
    expect(down.focus.kind).toBe('history');
    expect(textOf(down, 12)).not.toContain('echo 0');
  });

  it('say it in a sentence when there is no runner to tell the history', async () => {
    const refusal = { code: 'host-unavailable', message: 'No runner.', hint: 'Start it.' } as const;
    const host = { handle: async () => ({ ok: false, refusal }) as const };
    expect(await readHistory(host)).toEqual({ text: 'No runner. Start it.', tone: 'danger' });
  });
});

describe('raised sessions', () => {
  const raised = (id: string, agent: string, expiresAt: number) => ({
    id,
    agent,
    session: 's1',
    as: '/elevated on',
    since: start,
    expiresAt,
  });
  const runner = { ...appState([]).runner, policyProblem: null } as NonNullable<AppState['runner']>;
  const elevated = [
    raised('e1', 'claude', later + 90_000),
    raised('e2', 'co\u202edex', later + 60_000),
  ];
  const app = {
    ...screenWith(one),
    app: appState([one], { runner: { ...runner, elevated } }),
  };

  it('are told above the ask, and no more once their time is over', () => {
    expect(textOf(app)).toContain('2 sessions are raised for a while. r shows it');
    const single = {
      ...app,
      app: appState([one], { runner: { ...runner, elevated: [elevated[0]!] } }),
    };
    expect(textOf(single)).toMatch(/claude, session s1, is raised until \d\d:\d\d: \/elevated on/);
    const text = viewScreen(app, { columns: 60, rows: 40, now: later + 100_000 });
    expect(JSON.stringify(text)).not.toContain('raised');
  });

  it('are ended by the number that stood before them, and by no other key', () => {
    const { state } = press(app, ['r']);
    expect(textOf(state)).toContain('1:30 left');
    expect(textOf(state)).not.toContain('\u202e');
    expect(press(state, ['2']).effect).toEqual({ type: 'lower', id: 'e2' });
    for (const key of ['3', '0', 'Escape', 'd', 'a', { key: '1', repeat: true }])
      expect(press(state, [key]).effect).toBeNull();
    // One more that comes while the list is open takes nobody's number.
    const newer = appState([one], {
      runner: { ...runner, elevated: [raised('e0', 'pi', later), ...elevated] },
    });
    expect(press(takeState(state, newer, later), ['1']).effect).toEqual({
      type: 'lower',
      id: 'e1',
    });
    expect(press(screenWith(one), ['r']).state.focus.kind).toBe('queue');
  });

  it('end with a call, and what failed is said', async () => {
    const calls: unknown[] = [];
    const ends = {
      handle: async (...call: unknown[]) => (
        calls.push(call),
        { ok: true, result: { ended: true } }
      ),
    };
    expect(await performEffect(ends as never, { type: 'lower', id: 'e1' })).toMatchObject({
      tone: 'good',
    });
    expect(calls).toEqual([['endGrant', { id: 'e1' }]]);
    const refusal = { code: 'host-unavailable', message: 'Not there.', hint: 'Start it.' };
    const fails = { handle: async () => ({ ok: false, refusal }) };
    expect(await performEffect(fails as never, { type: 'lower', id: 'e1' })).toEqual({
      text: 'Not there. Start it.',
      tone: 'danger',
    });
  });
});
