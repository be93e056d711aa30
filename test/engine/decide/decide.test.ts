import { describe, expect, it } from 'vitest';
import { fallBack } from '../../../shared/engine/decide/decide.ts';
import type { Verdict } from '../../../shared/engine/decide/types.ts';
import { allow, builtin, opaque, plan, rule, stage, verdictOn } from '../../support/stages.ts';
import type { Situation } from '../../support/stages.ts';

const git = allow('/usr/bin/git', ['status', '...']);
const denyRm = rule('rm', { effect: 'deny' });
const askPush = rule('/usr/bin/git', { effect: 'ask', args: ['push', '...'] });
const allGit = allow('/usr/bin/git');

type Row = [
  what: string,
  situation: Situation,
  analysis: Verdict['analysis'],
  decision: Verdict['decision'],
  reason: Verdict['reason'],
];

const rows: readonly Row[] = [
  [
    'deny mode, whatever the rules say',
    { security: 'deny', rules: [allGit] },
    plan('git status'),
    'deny',
    'security-deny',
  ],
  ['a rule that allows', { rules: [git] }, plan('git status -s'), 'allow', 'rule-allow'],
  ['no rule', { rules: [git] }, plan('git push'), 'ask', 'no-rule'],
  [
    'one uncovered part among covered ones',
    { rules: [git] },
    plan('git status', 'make'),
    'ask',
    'no-rule',
  ],
  [
    'no rule while asking is off',
    { ask: 'off', rules: [git] },
    plan('git push'),
    'deny',
    'ask-off',
  ],
  [
    'a rule that allows while asking is off',
    { ask: 'off', rules: [git] },
    plan('git status'),
    'allow',
    'rule-allow',
  ],
  [
    'a rule that allows while everything is asked',
    { ask: 'always', rules: [git] },
    plan('git status'),
    'ask',
    'ask-always',
  ],
  [
    'a deny rule over an allow rule',
    { rules: [allGit, rule('git', { effect: 'deny' })] },
    plan('git log'),
    'deny',
    'rule-deny',
  ],
  [
    'an ask rule over an allow rule',
    { rules: [allGit, askPush] },
    plan('git push'),
    'ask',
    'rule-ask',
  ],
  [
    'a deny rule over an ask rule',
    { rules: [askPush, rule('git', { effect: 'deny' })] },
    plan('git push'),
    'deny',
    'rule-deny',
  ],
  [
    'a deny rule on a later part',
    { rules: [allGit, denyRm] },
    plan('git status', 'rm x'),
    'deny',
    'rule-deny',
  ],
  ['full', { security: 'full' }, plan('make'), 'allow', 'security-full'],
  ['full, opaque', { security: 'full' }, opaque('make'), 'allow', 'security-full'],
  [
    'full while everything is asked',
    { security: 'full', ask: 'always' },
    plan('make'),
    'ask',
    'ask-always',
  ],
  [
    'full with a deny rule that holds',
    { security: 'full', rules: [denyRm] },
    plan('rm x'),
    'deny',
    'rule-deny',
  ],
  [
    'full with an ask rule that holds',
    { security: 'full', rules: [askPush] },
    plan('git push'),
    'ask',
    'rule-ask',
  ],
  [
    'full with an ask rule, asking off',
    { security: 'full', ask: 'off', rules: [askPush] },
    plan('git push'),
    'deny',
    'ask-off',
  ],
  [
    'full, opaque, with a deny rule somewhere',
    { security: 'full', rules: [denyRm] },
    opaque('make'),
    'ask',
    'opaque',
  ],
  [
    'the same with asking off',
    { security: 'full', ask: 'off', rules: [denyRm] },
    opaque('make'),
    'deny',
    'ask-off',
  ],
  ['opaque with a denied part in sight', { rules: [denyRm] }, opaque('rm x'), 'deny', 'rule-deny'],
  [
    'opaque under an allowlist, all parts covered',
    { rules: [git] },
    opaque('git status'),
    'ask',
    'opaque',
  ],
  ['a plan without any part', { rules: [git] }, plan(), 'ask', 'no-rule'],
  [
    'a program that no rule may allow',
    { rules: [allow('/usr/bin/sudo')] },
    plan(stage('sudo ls', { trust: { level: 'never', reason: 'it runs another program' } })),
    'ask',
    'never-trusted',
  ],
  [
    'a program that is not there',
    { rules: [allow('nope'), allow('**')] },
    plan(stage('nope', { executable: { kind: 'missing', name: 'nope' } })),
    'ask',
    'no-rule',
  ],
  [
    'a variable that changes what runs',
    { rules: [git] },
    plan(stage('git status', { assignments: [{ name: 'LD_PRELOAD', value: 'x' }] })),
    'ask',
    'unsafe-environment',
  ],
  [
    'such a variable in the request',
    { rules: [git], request: { env: { PATH: '/tmp' } } },
    plan('git status'),
    'ask',
    'unsafe-environment',
  ],
  [
    'a harmless variable',
    { rules: [git] },
    plan(stage('git status', { assignments: [{ name: 'LANG', value: 'C' }] })),
    'allow',
    'rule-allow',
  ],
  [
    'a variable of which nobody knows what the program does with it',
    { rules: [git] },
    plan(stage('git status', { assignments: [{ name: 'FOO', value: 'x' }] })),
    'ask',
    'no-rule',
  ],
  [
    'builtins that change nothing',
    { rules: [git] },
    plan(
      builtin('cd src'),
      builtin('set -euo pipefail'),
      builtin('echo hi'),
      'git status',
      builtin('exit 3'),
    ),
    'allow',
    'rule-allow',
  ],
  [
    'a builtin that is denied',
    { rules: [rule('echo', { effect: 'deny' })] },
    plan(builtin('echo hi')),
    'deny',
    'rule-deny',
  ],
  [
    'a builtin that writes',
    { rules: [git] },
    plan(builtin('echo hi', { writes: ['/home/me/x'] })),
    'ask',
    'no-rule',
  ],
  [
    'a builtin that can run code',
    { rules: [allow('eval')] },
    plan(builtin('eval x', { trust: { level: 'never', reason: 'it runs text' } })),
    'ask',
    'never-trusted',
  ],
];

describe('a verdict', () => {
  it.each(rows)('on %s', (_, situation, analysis, decision, reason) => {
    const verdict = verdictOn(analysis, situation);
    expect({ decision: verdict.decision, reason: verdict.reason }).toEqual({ decision, reason });
    expect(verdict.message).toMatch(/\.$/);
    expect(verdict.hint === '').toBe(decision === 'allow');
  });

  it('says why when asking would be needed and is off', () => {
    const verdict = verdictOn(plan('make'), { ask: 'off' });
    expect(verdict.message).toBe(
      'There is no rule for make yet. A person would have to be asked, and asking is off.',
    );
  });

  it('says of an opaque command under full why it is held', () => {
    const verdict = verdictOn(opaque('make'), { security: 'full', rules: [denyRm] });
    expect(verdict.message).toMatch(
      /nothing proves that it runs no program that a rule holds back/,
    );
  });
});

const fallbackRows: readonly [
  what: string,
  situation: Situation,
  analysis: Verdict['analysis'],
  decision: 'allow' | 'deny',
][] = [
  ['deny', { askFallback: 'deny', ask: 'always', rules: [git] }, plan('git status'), 'deny'],
  [
    'allowlist, covered',
    { askFallback: 'allowlist', ask: 'always', rules: [git] },
    plan('git status'),
    'allow',
  ],
  ['allowlist, not covered', { askFallback: 'allowlist', rules: [git] }, plan('make'), 'deny'],
  [
    'allowlist, a rule asks',
    { askFallback: 'allowlist', rules: [allGit, askPush] },
    plan('git push'),
    'deny',
  ],
  [
    'allowlist under full, covered',
    { security: 'full', askFallback: 'allowlist', ask: 'always', rules: [git] },
    plan('git status'),
    'allow',
  ],
  [
    'allowlist under full, unsafe variable',
    {
      security: 'full',
      askFallback: 'allowlist',
      ask: 'always',
      rules: [git],
      request: { env: { LD_PRELOAD: 'x' } },
    },
    plan('git status'),
    'deny',
  ],
  [
    'full under an allowlist is no looser than the allowlist',
    { askFallback: 'full' },
    plan('make'),
    'deny',
  ],
  ['full', { security: 'full', ask: 'always', askFallback: 'full' }, plan('make'), 'allow'],
  [
    'full, a rule asks',
    { security: 'full', askFallback: 'full', rules: [askPush] },
    plan('git push'),
    'deny',
  ],
  [
    'full, opaque, a rule denies something',
    { security: 'full', ask: 'always', askFallback: 'full', rules: [denyRm] },
    opaque('make'),
    'deny',
  ],
  [
    'full, opaque, no rule holds anything back',
    { security: 'full', ask: 'always', askFallback: 'full' },
    opaque('make'),
    'allow',
  ],
];

describe('the fallback when nobody can be asked', () => {
  it.each(fallbackRows)('%s', (_, situation, analysis, decision) => {
    const verdict = verdictOn(analysis, situation);
    expect(verdict.decision).toBe('ask');
    expect(fallBack(verdict).decision).toBe(decision);
  });
});
