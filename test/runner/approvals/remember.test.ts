import { expect, test } from 'vitest';
import { createMemory } from '../../../runner/approvals/remember.ts';
import type { Binding } from '../../../runner/gate/binding.ts';
import { bindingDigest } from '../../../runner/gate/binding.ts';
import { createGrants } from '../../../runner/gate/grants.ts';
import type { Ask, Remember } from '../../../shared/engine/ask.ts';
import type { Rule } from '../../../shared/engine/policy/types.ts';
import { fakeClock } from '../../support/fake-clock.ts';
import { draft } from './support.ts';

const binding = { host: 'gateway', agent: 'claude' } as Binding;

function memory(save: (rules: readonly Rule[], agent: string) => void = () => {}) {
  const clock = fakeClock();
  const now = (): number => clock.now();
  const grants = createGrants(now);
  const kept = createMemory({
    now,
    newId: () => 'rule-1',
    grants,
    save: async (agent, rules) => save(rules, agent),
  });
  const answer = async (remember?: Remember, ask: Partial<Ask> = {}) =>
    kept.remember(
      { ...draft('a1'), createdAt: 0, expiresAt: 1, ...ask },
      { id: 'a1', askDigest: '', decision: 'allow-always', ...(remember && { remember }) },
      binding,
    );
  const patterns = (session: string | null): readonly string[] =>
    grants.rules('claude', session).map(({ pattern }) => pattern);
  return { clock, grants, answer, patterns };
}

const touch = ['/usr/bin/touch'];

test('"always" becomes a rule of the policy file', async () => {
  const saved: Rule[] = [];
  const { answer, patterns, clock } = memory((rules) => void saved.push(...rules));
  expect(await answer({ duration: 'always', proposalId: 'exact' })).toBeNull();
  expect(saved).toEqual([
    {
      id: 'rule-1',
      pattern: '/usr/bin/touch',
      args: ['x'],
      source: 'allow-always',
      createdAt: clock.now(),
    },
  ]);
  expect(patterns('s1')).toEqual([]);
});

test('"always" is for the agent that asked, and for every agent where that was chosen', async () => {
  const agents: string[] = [];
  const { answer } = memory((_rules, agent) => void agents.push(agent));
  const remember = { duration: 'always', proposalId: 'exact' } as const;
  const ask = { everyAgent: true };
  expect(await answer(remember, ask)).toBeNull();
  expect(await answer({ ...remember, everyAgent: true }, ask)).toBeNull();
  expect(await answer({ ...remember, everyAgent: true })).toContain('not on offer');
  expect(agents).toEqual(['claude', '*']);
});

test('an older program’s "always" without a choice means the narrowest proposal, for good', async () => {
  const saved: Rule[] = [];
  const { answer } = memory((rules) => void saved.push(...rules));
  expect(await answer()).toBeNull();
  expect(saved).toMatchObject([{ args: ['x'] }]);
});

test('a rule that cannot be saved is told, and does not undo the yes', async () => {
  const { answer } = memory(() => {
    throw new Error('The disk is full.');
  });
  expect(await answer({ duration: 'always', proposalId: 'exact' })).toBe(
    'A rule could not be saved: The disk is full.',
  );
});

test('15 minutes end after 15 minutes', async () => {
  const { answer, clock, patterns } = memory();
  await answer({ duration: '15-minutes', proposalId: 'exact' });
  clock.advance(15 * 60_000 - 1);
  expect(patterns('another')).toEqual(touch);
  clock.advance(1);
  expect(patterns('another')).toEqual([]);
});

test('a grant for a session holds in it alone and ends with it', async () => {
  const { answer, grants, patterns } = memory();
  await answer({ duration: 'session', proposalId: 'exact' });
  expect([patterns('s1'), patterns('s2'), patterns(null)]).toEqual([touch, [], []]);
  grants.endSession('another', 's1');
  expect(patterns('s1')).toEqual([touch].flat());
  grants.endSession('claude', 's1');
  expect(patterns('s1')).toEqual([]);
});

test('a grant until the restart holds for the agent, and for no other', async () => {
  const { answer, grants, patterns, clock } = memory();
  await answer({ duration: 'until-restart', proposalId: 'exact' });
  clock.advance(365 * 86_400_000);
  expect(patterns(null)).toEqual(touch);
  expect(grants.rules('codex', null)).toEqual([]);
});

test.each([
  ['a proposal that was not on offer', { duration: 'always', proposalId: 'made-up' }, {}],
  [
    'a duration that was not on offer',
    { duration: 'always', proposalId: 'exact' },
    { durations: ['once'] },
  ],
] as const)('%s is worth no more than once', async (_name, remember, ask) => {
  const saved: Rule[] = [];
  const { answer, patterns } = memory((rules) => void saved.push(...rules));
  expect(await answer(remember, ask)).toMatch(/for this once only/);
  expect([saved, patterns('s1')]).toEqual([[], []]);
});

test('a command that no rule may cover is granted as it is, by its binding', async () => {
  const { answer, grants } = memory();
  const proposals = [
    { id: 'same-command', scope: 'exact', sentence: '', rules: [], pastCommands: [] },
  ] as const;
  await answer({ duration: '15-minutes', proposalId: 'same-command' }, { proposals });
  expect(grants.covers('claude', null, bindingDigest(binding))).toBe(true);
  expect(grants.covers('claude', null, bindingDigest({ ...binding, agent: 'x' }))).toBe(false);
  expect(grants.covers('codex', null, bindingDigest(binding))).toBe(false);
});
