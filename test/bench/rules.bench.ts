import { decide } from '../../shared/engine/decide/decide.ts';
import { parsePolicy, resolvePolicy } from '../../shared/engine/index.ts';
import type { DecideInput } from '../../shared/engine/decide/types.ts';
import type { Rule } from '../../shared/engine/index.ts';
import { inputFor, plan } from '../support/stages.ts';

/** What the rules are like: all exact, or a third of each of exact, subcommand and glob. */
export type RuleMix = 'exact' | 'mixed';

export interface DecisionRate {
  readonly mix: RuleMix;
  readonly rules: number;
  readonly perSecond: number;
  /** Mean time of one decision, in microseconds. */
  readonly microseconds: number;
}

function ruleAt(index: number, mix: RuleMix): Rule {
  const id = `rule-${index}`;
  const kind = mix === 'exact' ? 0 : index % 3;
  if (kind === 0) return { id, pattern: '/usr/bin/git', args: ['show', `commit-${index}`] };
  if (kind === 1) return { id, pattern: `/opt/tool-${index}/bin/run`, args: ['status', '...'] };
  return { id, pattern: `/opt/tool-${index}/*/bin/*`, args: ['...'] };
}

/** Plans that the policies allow, miss, and partly allow. */
export function benchInputs(rules: number, mix: RuleMix): readonly DecideInput[] {
  const list = Array.from({ length: rules }, (_, index) => ruleAt(index, mix));
  const text = JSON.stringify({
    version: 1,
    agents: { a: { security: 'allowlist', allowlist: list } },
  });
  const parsed = parsePolicy(text);
  if (!parsed.ok) throw new Error(parsed.problem.message);
  const policy = resolvePolicy(parsed.document, { agent: 'a' });
  const exact = `git show commit-${Math.floor((rules - 1) / 3) * 3}`;
  return [plan(exact), plan(exact, exact), plan('git status')].map((analysis) => ({
    ...inputFor(analysis),
    policy,
  }));
}

/** Decisions on plans that were already analysed, for about `milliseconds` of time. */
export function decisionRate(
  rules: number,
  mix: RuleMix,
  {
    milliseconds = 500,
    clock = () => performance.now(),
  }: { milliseconds?: number; clock?: () => number } = {},
): DecisionRate {
  const inputs = benchInputs(rules, mix);
  for (let warm = 0; warm < 200; warm += 1) for (const input of inputs) decide(input);
  const start = clock();
  let decisions = 0;
  while (clock() - start < milliseconds) {
    for (const input of inputs) decide(input);
    decisions += inputs.length;
  }
  const elapsed = clock() - start;
  return {
    mix,
    rules,
    perSecond: (decisions / elapsed) * 1_000,
    microseconds: (elapsed / decisions) * 1_000,
  };
}

/** The table of `npm run bench`: both mixes with 10, 1,000 and 10,000 rules. */
export function ruleRates(milliseconds = 500): readonly DecisionRate[] {
  const mixes: readonly RuleMix[] = ['exact', 'mixed'];
  return mixes.flatMap((mix) =>
    [10, 1_000, 10_000].map((rules) => decisionRate(rules, mix, { milliseconds })),
  );
}
