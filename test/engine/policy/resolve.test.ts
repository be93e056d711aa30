import { describe, expect, it } from 'vitest';
import { policyFor, resolvePolicy, rulesOf } from '../../../shared/engine/policy/resolve.ts';
import type { ForWhom } from '../../../shared/engine/policy/resolve.ts';
import type { ResolveOptions } from '../../../shared/engine/policy/resolve.ts';
import type { PolicyDocument } from '../../../shared/engine/policy/types.ts';

const rows: readonly [
  what: string,
  document: Omit<PolicyDocument, 'version'> | null,
  options: Partial<ResolveOptions>,
  expected: readonly [security: string, ask: string, askFallback: string],
][] = [
  ['no document', null, { security: 'full' }, ['deny', 'on-miss', 'deny']],
  ['an empty document', {}, {}, ['deny', 'on-miss', 'deny']],
  [
    'defaults',
    { defaults: { security: 'full', ask: 'off', askFallback: 'full' } },
    {},
    ['full', 'off', 'full'],
  ],
  [
    'the wildcard over the defaults',
    { defaults: { security: 'full' }, agents: { '*': { security: 'allowlist' } } },
    {},
    ['allowlist', 'on-miss', 'deny'],
  ],
  [
    'the agent over the wildcard, field by field',
    { agents: { '*': { security: 'deny', ask: 'always' }, a: { security: 'full' } } },
    {},
    ['full', 'always', 'deny'],
  ],
  ['another agent', { agents: { b: { security: 'full' } } }, {}, ['deny', 'on-miss', 'deny']],
  [
    'an agent with the name of an inherited field',
    { agents: {} },
    { agent: 'constructor' },
    ['deny', 'on-miss', 'deny'],
  ],
  [
    'a request that tightens',
    { defaults: { security: 'full', ask: 'off' } },
    { security: 'allowlist', ask: 'always' },
    ['allowlist', 'always', 'deny'],
  ],
  [
    'a request that would loosen',
    { defaults: { security: 'allowlist', ask: 'always' } },
    { security: 'full', ask: 'off' },
    ['allowlist', 'always', 'deny'],
  ],
  [
    'a fallback looser than the mode',
    { defaults: { security: 'allowlist', askFallback: 'full' } },
    {},
    ['allowlist', 'on-miss', 'allowlist'],
  ],
  [
    'a fallback looser than the tightened mode',
    { defaults: { security: 'full', askFallback: 'full' } },
    { security: 'deny' },
    ['deny', 'on-miss', 'deny'],
  ],
];

describe('what holds for a request', () => {
  it.each(rows)('%s', (_, document, options, [security, ask, askFallback]) => {
    const whole = document === null ? null : { version: 1 as const, ...document };
    expect(resolvePolicy(whole, { agent: 'a', ...options })).toMatchObject({
      security,
      ask,
      askFallback,
    });
  });

  it('takes the time for an answer from the policy, then from the settings', () => {
    const timeout = (document: PolicyDocument, askTimeoutMs?: number) =>
      resolvePolicy(document, { agent: 'a', askTimeoutMs }).askTimeoutMs;
    expect(timeout({ version: 1 })).toBe(120_000);
    expect(timeout({ version: 1 }, 5_000)).toBe(5_000);
    expect(timeout({ version: 1, agents: { '*': { askTimeoutMs: 9_000 } } }, 5_000)).toBe(9_000);
  });

  it("lists the agent's rules, then the wildcard's, as one array for as long as the document lives", () => {
    const document: PolicyDocument = {
      version: 1,
      agents: {
        '*': { allowlist: [{ id: 'w', pattern: 'w' }] },
        a: { allowlist: [{ id: 'a', pattern: 'a' }] },
      },
    };
    expect(rulesOf(document, 'a').map(({ id }) => id)).toEqual(['a', 'w']);
    expect(rulesOf(document, 'a')).toBe(rulesOf(document, 'a'));
    expect(rulesOf(document, 'b').map(({ id }) => id)).toEqual(['w']);
    expect(rulesOf(document, 'b')).toBe(rulesOf(document, '*'));
  });
});

describe('what is added to the policy for one request', () => {
  const document: PolicyDocument = {
    version: 1,
    agents: {
      '*': { security: 'allowlist', allowlist: [{ id: 'all', pattern: 'ls' }] },
      codex: {
        security: 'full',
        ask: 'always',
        allowlist: [
          { id: 'yes', pattern: 'make' },
          { id: 'no', effect: 'deny', pattern: 'rm' },
        ],
      },
    },
  };
  const idsFor = (who: Omit<ForWhom, 'agent'>): readonly string[] =>
    policyFor(document, { agent: '*', ...who }).rules.map(({ id }) => id);
  const granted = [{ id: 'g', pattern: 'touch' }];

  it('is what was granted, and only the "no" of a name that nothing proves', () => {
    expect(idsFor({ granted })).toEqual(['all', 'g']);
    expect(idsFor({ granted, claimed: 'codex' })).toEqual(['all', 'no', 'g']);
    expect(policyFor(document, { agent: '*', claimed: 'codex' })).toMatchObject({
      agent: '*',
      security: 'allowlist',
      ask: 'always',
    });
  });

  it('is the same list for the same rules, so that none is compiled again', () => {
    const rules = (who: Omit<ForWhom, 'agent'>) =>
      policyFor(document, { agent: '*', ...who }).rules;
    expect(rules({})).toBe(rules({}));
    expect(rules({ granted })).toBe(rules({ granted: [...granted] }));
    expect(rules({ claimed: 'codex' })).toBe(rules({ claimed: 'codex' }));
    expect(rules({ granted: [{ id: 'h', pattern: 'touch' }] })).not.toBe(rules({ granted }));
  });
});
