import { describe, expect, it } from 'vitest';
import { choiceOf, offerOf } from '../../shared/engine/ask.ts';
import type { Ask, Decision, Proposal } from '../../shared/engine/ask.ts';
import { sampleAsk } from '../support/sample-ask.ts';

const wide: Proposal = {
  id: 'p2',
  scope: 'program',
  sentence: 'git with any arguments',
  rules: [{ pattern: '/usr/bin/git' }],
  pastCommands: [],
};
const same: Proposal = { ...wide, id: 'same-command', scope: 'exact', rules: [] };
const [narrow] = sampleAsk().proposals;
const proposals = [narrow as Proposal, wide];
const opaque = { reason: 'glob', detail: '', span: null } as const;
const high = { level: 'high', findings: [] } as const;
const durations: Ask['durations'] = ['once', '15-minutes', 'always'];

type Answer = Pick<Decision, 'decision' | 'remember'>;
const always = (duration: '15-minutes' | 'session' | 'always', proposalId: string): Answer => ({
  decision: 'allow-always',
  remember: { duration, proposalId },
});

const forAll = { proposalId: 'p1', everyAgent: true } as const;

const cases: readonly (readonly [string, Partial<Ask>, Answer, string | null])[] = [
  ['deny', {}, { decision: 'deny' }, 'deny'],
  ['once', {}, { decision: 'allow-once' }, 'once'],
  ['once, of high risk', { risk: high }, { decision: 'allow-once' }, 'once'],
  ['once, and remember', {}, { ...always('always', 'p1'), decision: 'allow-once' }, null],
  ['deny, and remember', {}, { ...always('always', 'p1'), decision: 'deny' }, null],
  ['what was offered', {}, always('15-minutes', 'p2'), '15-minutes p2'],
  ['a time that was not', {}, always('session', 'p1'), null],
  ['a proposal that was not', {}, always('always', 'p3'), null],
  ['always, without a choice', {}, { decision: 'allow-always' }, 'always p1'],
  [
    'always, without a choice, where nothing is for good',
    { durations: ['once', '15-minutes'] },
    { decision: 'allow-always' },
    null,
  ],
  ['always, without a choice, of nothing', { proposals: [] }, { decision: 'allow-always' }, null],
  ['a high risk', { risk: high }, always('15-minutes', 'p1'), null],
  ['a rule for what is opaque', { opaque }, always('15-minutes', 'p1'), null],
  [
    'the opaque command itself',
    { opaque, proposals: [same] },
    always('15-minutes', same.id),
    '15-minutes same-command',
  ],
  [
    'for every agent',
    { everyAgent: true },
    { decision: 'allow-always', remember: { ...forAll, duration: 'always' } },
    'always p1 for every agent',
  ],
  [
    'for every agent, said to be for one',
    { everyAgent: true },
    { decision: 'allow-always', remember: { ...forAll, duration: 'always', everyAgent: false } },
    'always p1',
  ],
  [
    'for every agent, for a while',
    { everyAgent: true },
    { decision: 'allow-always', remember: { ...forAll, duration: '15-minutes' } },
    null,
  ],
  [
    'for every agent, where that is not offered',
    {},
    { decision: 'allow-always', remember: { ...forAll, duration: 'always' } },
    null,
  ],
  [
    'a no for every agent',
    { everyAgent: true, never: { ...wide, id: 'p1' } },
    { decision: 'deny', remember: { ...forAll, duration: 'always' } },
    null,
  ],
  ['the opaque command for good', { opaque, proposals: [same] }, always('always', same.id), null],
];

describe('what a decision picks of an ask', () => {
  it.each(cases)('%s', (_name, change, answer, picked) => {
    const choice = choiceOf(sampleAsk({ proposals, durations, ...change }), answer);
    const said =
      choice?.kind === 'remember'
        ? `${choice.duration} ${choice.proposal.id}${choice.everyAgent ? ' for every agent' : ''}`
        : choice?.kind;
    expect(said ?? null).toBe(picked);
  });

  it('is offered by durations and proposals together, or not at all', () => {
    expect(offerOf(sampleAsk({ durations: ['once'] })).proposals).toEqual([]);
    expect(offerOf(sampleAsk({ proposals: [] })).durations).toEqual([]);
    expect(offerOf(sampleAsk()).durations).toEqual(['session', 'always']);
  });
});
