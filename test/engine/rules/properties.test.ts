import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Stage } from '../../../shared/engine/plan/types.ts';
import type { ArgToken, Rule, RuleEffect } from '../../../shared/engine/policy/types.ts';
import type { Verdict } from '../../../shared/engine/decide/types.ts';
import { cwd, opaque, plan, program, stage, verdictOn } from '../../support/stages.ts';
import type { Situation } from '../../support/stages.ts';

const word = fc.constantFrom('a', 'b', 'status', '-f', 'src/x', '/etc/x', '*', '..', '');
const names = fc.constantFrom('git', 'rm', 'ls');
const hash = 'a'.repeat(64);

const stages: fc.Arbitrary<Stage> = fc
  .record({
    name: names,
    words: fc.array(word, { maxLength: 3 }),
    open: fc.boolean(),
    writes: fc.subarray([`${cwd}/out`, '/etc/x']),
    reads: fc.subarray([`${cwd}/in`, '/etc/y']),
    trust: fc.constantFrom('open', 'open', 'pinned', 'never'),
    changeable: fc.boolean(),
    cwd: fc.constantFrom(cwd, '/tmp', null),
  })
  .map(({ name, words, open, changeable, trust, ...rest }) =>
    stage(name, {
      argv: [name, ...words],
      globs: open && words.length > 0 ? [words.length] : [],
      executable: program(name, { agentWritable: changeable, trusted: !changeable }),
      trust: trust === 'open' ? { level: 'open' } : { level: trust, reason: 'x' },
      ...rest,
    }),
  );

const token: fc.Arbitrary<ArgToken> = fc.oneof(
  word,
  fc.constantFrom('**', 'src/*', '?', '-*', '[ab]'),
  fc.array(word, { minLength: 1, maxLength: 2 }),
);
const args = fc
  .tuple(fc.array(token, { maxLength: 3 }), fc.boolean())
  .map(([tokens, rest]) => (rest ? [...tokens, '...'] : tokens));

let made = 0;
const ruleOf = (effect: RuleEffect): fc.Arbitrary<Rule> =>
  fc
    .record(
      {
        pattern: fc.constantFrom('git', 'rm', '/usr/bin/git', '/usr/bin/*', '**', 'l?', '{rm,ls}'),
        args,
        argPattern: fc.constantFrom('^a', 'b$', '^status( .*)?$', '^a b$'),
        cwd: fc.constantFrom('/home/**', '/tmp'),
        host: fc.constantFrom('gateway', 'node'),
        writes: fc.subarray([`${cwd}/*`, '/etc/**']),
        sha256: fc.constant(hash),
        expiresAt: fc.constantFrom(null, 500, 5_000),
        maxRisk: fc.constantFrom('none' as const, 'low' as const),
      },
      { requiredKeys: ['pattern'] },
    )
    .map((fields): Rule => ({ ...fields, effect, id: `p${(made += 1)}` }));

const anyRule = fc.oneof(ruleOf('allow'), ruleOf('allow'), ruleOf('ask'), ruleOf('deny'));
const situation: fc.Arbitrary<Situation> = fc.record({
  security: fc.constantFrom('deny', 'allowlist', 'allowlist', 'full'),
  ask: fc.constantFrom('always', 'on-miss', 'on-miss', 'off'),
  rules: fc.array(anyRule, { maxLength: 5 }),
  hashes: fc.constant({ '/usr/bin/git': hash }),
});
const analysis = fc
  .tuple(fc.array(stages, { minLength: 1, maxLength: 3 }), fc.integer({ min: 0, max: 5 }))
  .map(([all, dice]) => (dice === 0 ? opaque(...all) : plan(...all)));

const looseness = { deny: 0, ask: 1, allow: 2 };

function loose({ decision }: Verdict): number {
  return looseness[decision];
}

function withRule(around: Situation, rule: Rule): Situation {
  return { ...around, rules: [...(around.rules ?? []), rule] };
}

const runs = { numRuns: 250 };

describe('the rule language', () => {
  it('never allows more for another deny rule, nor for another ask rule', () => {
    fc.assert(
      fc.property(
        situation,
        analysis,
        fc.oneof(ruleOf('deny'), ruleOf('ask')),
        (around, what, rule) => {
          const before = verdictOn(what, around);
          const after = verdictOn(what, withRule(around, rule));
          if (rule.effect === 'deny') expect(loose(after)).toBeLessThanOrEqual(loose(before));
          else if (after.decision === 'allow') expect(before.decision).toBe('allow');
        },
      ),
      runs,
    );
  });

  it('never allows less for another allow rule', () => {
    fc.assert(
      fc.property(situation, analysis, ruleOf('allow'), (around, what, rule) => {
        const before = verdictOn(what, around);
        expect(loose(verdictOn(what, withRule(around, rule)))).toBeGreaterThanOrEqual(
          loose(before),
        );
      }),
      runs,
    );
  });

  const narrowings: readonly ((rule: Rule) => Rule)[] = [
    (rule) => ({
      ...rule,
      args: (rule.args ?? ['...']).map((each) => (each === '...' ? 'a' : each)),
    }),
    (rule) => ({
      ...rule,
      args: (rule.args ?? ['...']).map((each) =>
        Array.isArray(each) ? (each[0] ?? 'a') : each,
      ) as ArgToken[],
    }),
    (rule) => ({ ...rule, argPattern: rule.argPattern ?? '^a' }),
    (rule) => ({ ...rule, cwd: rule.cwd ?? '/tmp' }),
    (rule) => ({ ...rule, host: rule.host ?? 'node' }),
    (rule) => ({ ...rule, expiresAt: rule.expiresAt ?? 500 }),
    (rule) => ({ ...rule, maxRisk: 'none' }),
    (rule) => ({ ...rule, writes: (rule.writes ?? []).slice(1) }),
    (rule) => ({
      ...rule,
      pattern:
        rule.pattern === '/usr/bin/*' || rule.pattern === '**' ? '/usr/bin/git' : rule.pattern,
    }),
  ];

  it('never allows more when an allow rule is narrowed', () => {
    fc.assert(
      fc.property(
        situation,
        analysis,
        ruleOf('allow'),
        fc.constantFrom(...narrowings),
        (around, what, rule, narrow) => {
          // An argPattern may pin what trust demands to be pinned, and a path may name the program
          // that has to be named where agents can change it; that is not a widening.
          const wide = verdictOn(what, withRule(around, rule));
          const narrowed = narrow(rule);
          const pins = narrowed.args !== rule.args || narrowed.argPattern !== rule.argPattern;
          fc.pre(!pins || !hasPinned(what));
          fc.pre(narrowed.pattern === rule.pattern || !hasChangeable(what));
          expect(loose(verdictOn(what, withRule(around, narrowed)))).toBeLessThanOrEqual(
            loose(wide),
          );
        },
      ),
      runs,
    );
  });

  it('never allows less when a deny rule is narrowed', () => {
    fc.assert(
      fc.property(situation, analysis, ruleOf('deny'), (around, what, rule) => {
        const wide = verdictOn(what, withRule(around, rule));
        const narrowed = verdictOn(what, withRule(around, { ...rule, host: rule.host ?? 'node' }));
        expect(loose(narrowed)).toBeGreaterThanOrEqual(loose(wide));
      }),
      runs,
    );
  });

  it('gives the same verdict in whatever order the rules stand', () => {
    fc.assert(
      fc.property(
        situation.chain((around) =>
          fc.tuple(
            fc.constant(around),
            fc.shuffledSubarray([...(around.rules ?? [])], {
              minLength: around.rules?.length ?? 0,
            }),
          ),
        ),
        analysis,
        ([around, shuffled], what) => {
          const one = verdictOn(what, around);
          const other = verdictOn(what, { ...around, rules: shuffled });
          expect([other.decision, other.reason]).toEqual([one.decision, one.reason]);
        },
      ),
      runs,
    );
  });

  it('never allows an opaque command by rules, nor one that nothing may allow', () => {
    fc.assert(
      fc.property(situation, analysis, (around, what) => {
        const verdict = verdictOn(what, around);
        if (verdict.reason !== 'rule-allow') return;
        expect(what.ok).toBe(true);
        const all = what.ok ? what.plan.stages : [];
        expect(all.every(({ trust }) => trust.level !== 'never')).toBe(true);
      }),
      runs,
    );
  });
});

function hasPinned(what: Verdict['analysis']): boolean {
  const all = what.ok ? what.plan.stages : what.stages;
  return all.some(({ trust, reads }) => trust.level === 'pinned' || reads.length > 0);
}

function hasChangeable(what: Verdict['analysis']): boolean {
  const all = what.ok ? what.plan.stages : what.stages;
  return all.some(({ executable }) => executable.kind === 'file' && executable.agentWritable);
}
