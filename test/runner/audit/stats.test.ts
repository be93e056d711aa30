import { describe, expect, it } from 'vitest';
import {
  createCounter,
  dayOf,
  lastDays,
  needlessAfter,
  wasAsked,
} from '../../../runner/audit/stats.ts';
import type { DecisionRow } from '../../../runner/audit/rows.ts';
import { decision, logBench } from './support.ts';

const dayMs = 86_400_000;
const noon = new Date(2026, 10, 20, 12).getTime();
const days = lastDays(3, noon);

function row(change: Partial<DecisionRow>): DecisionRow {
  return decision('one', {
    at: noon,
    command: 'npm test',
    cwd: '/src',
    agent: 'claude',
    ...change,
  });
}

const yes = { decision: 'allow', code: 'allow-once', by: 'person' } as const;

describe('the days of the statistics', () => {
  it('are the last ones, today included, oldest first', () => {
    expect(days).toEqual(['2026-11-18', '2026-11-19', '2026-11-20']);
  });

  it('are never doubled or left out where clocks change', () => {
    for (const month of [2, 9, 10]) {
      const all = lastDays(90, new Date(2026, month, 31, 0, 30).getTime());
      expect(new Set(all).size).toBe(90);
    }
  });
});

describe('a day', () => {
  const cases: readonly [string, Partial<DecisionRow>, object][] = [
    ['a yes', yes, { asks: 1, allowed: 1, unanswered: 0, unasked: 0 }],
    ['a yes for always', { ...yes, code: 'allow-always' }, { asks: 1, allowed: 1 }],
    ['a no', { decision: 'deny', code: 'confirm-rejected', by: 'person' }, { asks: 1, allowed: 0 }],
    [
      'no answer',
      { decision: 'deny', code: 'approval-timeout', by: 'policy' },
      { asks: 1, unanswered: 1 },
    ],
    [
      'nobody there',
      { decision: 'allow', code: 'fallback-full', by: 'fallback' },
      { asks: 1, unanswered: 1 },
    ],
    ['a rule', { decision: 'allow', code: 'rule-allow', by: 'policy' }, { asks: 0, unasked: 1 }],
    [
      'an earlier grant',
      { decision: 'allow', code: 'grant', by: 'person' },
      { asks: 0, unasked: 1 },
    ],
    [
      'a denial by policy',
      { decision: 'deny', code: 'policy-deny', by: 'policy' },
      { asks: 0, unasked: 1 },
    ],
  ];
  it.each(cases)('counts %s', (_what, change, expected) => {
    const counter = createCounter(days);
    const made = row(change);
    if (wasAsked(made)) counter.add(made);
    else counter.addUnasked(2);
    expect(counter.stats().days[2]).toMatchObject(expected);
  });
});

describe('a needless ask', () => {
  const needlessOf = (rows: readonly Partial<DecisionRow>[]): number => {
    const counter = createCounter(days);
    for (const change of rows) counter.add(row(change));
    return counter.stats().days.reduce((sum, { needless }) => sum + needless, 0);
  };
  const before = Array.from({ length: needlessAfter }, () => yes);

  it('is one that a person has answered with yes often enough before', () => {
    expect(needlessOf(before)).toBe(0);
    expect(needlessOf([...before, yes])).toBe(1);
    expect(needlessOf([...before, yes, yes])).toBe(2);
  });

  it.each([
    ['denied', { decision: 'deny', code: 'confirm-rejected', by: 'person' }],
    ['allowed for always', { ...yes, code: 'allow-always' }],
    ['in another folder', { ...yes, cwd: '/other' }],
    ['of another agent', { ...yes, agent: 'codex' }],
    ['another command', { ...yes, command: 'npm test -- -u' }],
    ['long after', { ...yes, at: noon + 31 * dayMs }],
  ] as const)('is none when it is %s', (_what, last) => {
    expect(needlessOf([...before, last])).toBe(0);
  });

  it('names what would be worth a rule, most first', () => {
    const counter = createCounter(days);
    for (const command of ['ls', 'npm test', 'npm test'])
      for (let count = 0; count <= needlessAfter; count += 1) counter.add(row({ ...yes, command }));
    expect(counter.stats().worthARule).toEqual([
      { agent: 'claude', command: 'npm test', cwd: '/src', needless: 5 },
      { agent: 'claude', command: 'ls', cwd: '/src', needless: 1 },
    ]);
  });
});

describe('the statistics of a log', () => {
  it('learn from the days before, and count only the days asked for', async () => {
    const bench = logBench();
    const log = await bench.open();
    const old = { ...yes, at: noon - 10 * dayMs };
    const rows = [old, old, old, yes, { ...yes, agent: 'codex' }];
    for (const [index, change] of rows.entries())
      await log.durable({ ...row(change), id: `id-${index}` });
    bench.clock.advance(noon - bench.clock.now());
    const stats = await log.stats({ days: 2, agent: 'claude' });
    await log.dispose();
    expect(stats.days).toEqual([
      { day: dayOf(noon - dayMs), asks: 0, allowed: 0, unanswered: 0, needless: 0, unasked: 0 },
      { day: dayOf(noon), asks: 1, allowed: 1, unanswered: 0, needless: 1, unasked: 0 },
    ]);
  });
});
