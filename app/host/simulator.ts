import type { HistoryEntry } from '../../shared/api/types.ts';
import { policySchema } from '../../shared/policy/schema.ts';
import type { PolicyDocument, Rule } from '../../shared/policy/types.ts';
import type { PastCommand } from '../../shared/proposals/propose.ts';
import { refuse } from '../../shared/refusal/refusal.ts';
import { ruleProblem } from '../../shared/rules/problem.ts';
import { compile } from '../../shared/schema/compile.ts';
import { effectOf, explain } from '../../shared/simulate/explain.ts';
import { whyNoRule } from '../../shared/simulate/why-no-rule.ts';
import type { RuleSuggestion, SimulatedEffect, Simulation } from '../../shared/simulate/types.ts';
import { checkBody } from '../../shared/verdict/check-body.ts';
import type { DecideInput } from '../../shared/verdict/input.ts';
import { testedHost } from './tester.ts';
import type { Tester, TestRequest } from './tester.ts';

/** Answers "what if": which rule decides, what to add, and what that would have done before. */
export interface Simulator {
  simulate(request: TestRequest): Promise<Simulation>;
  suggest(request: TestRequest): Promise<RuleSuggestion>;
  effectOf(question: {
    readonly agent: string;
    readonly rules: readonly Omit<Rule, 'id'>[];
    readonly document: PolicyDocument | null;
  }): Promise<SimulatedEffect>;
}

export interface SimulatorOptions {
  readonly tester: Pick<Tester, 'inputsFor'>;
  /** The newest commands of an agent in the log, at most so many. Rejects without a runner. */
  readonly past: (
    agent: string,
    limit: number,
  ) => Promise<readonly Pick<HistoryEntry, 'command' | 'cwd'>[]>;
}

/** How many past commands are looked at. */
const mostLooked = 200;

const checkRules = compile<readonly Omit<Rule, 'id'>[]>({
  type: 'array',
  items: policySchema.properties.agents.additionalProperties.properties.allowlist.items,
});

/** Uses the runner's own decision over the tester's analysis. Changes nothing. */
export function createSimulator({ tester, past }: SimulatorOptions): Simulator {
  const pastOf = async (
    agent: string,
    document: PolicyDocument | null,
  ): Promise<readonly PastCommand[]> => {
    const seen = await past(agent, mostLooked);
    const commands = [
      ...new Map(seen.map(({ command, cwd }) => [`${cwd}\0${command}`, { command, cwd }])).values(),
    ];
    const inputs = await tester.inputsFor(
      commands.map(({ command, cwd }) => ({ agent, command, cwd, document })),
    );
    return commands.map(({ command }, index) => ({ command, input: inputs[index] as DecideInput }));
  };
  const inputFor = async (request: TestRequest): Promise<DecideInput> => {
    const [input] = await tester.inputsFor([request]);
    return input as DecideInput;
  };
  // Without a runner there is no history to show, and all the rest can still be said.
  const pastOrNone = (request: TestRequest): Promise<readonly PastCommand[]> =>
    pastOf(request.agent, request.document).catch(() => []);

  return {
    simulate: async (request) => {
      const [input, seen] = await Promise.all([inputFor(request), pastOrNone(request)]);
      const { verdict, fallback, deciding, toAllow } = explain(input, seen);
      return {
        check: checkBody(verdict, { host: testedHost }),
        fallback,
        deciding,
        stages: verdict.matches.map(({ rule, why }) => ({ ruleId: rule?.id ?? null, why })),
        toAllow,
      };
    },
    suggest: async (request) => {
      const [input, seen] = await Promise.all([inputFor(request), pastOrNone(request)]);
      const { verdict, toAllow } = explain(input, seen);
      return { proposals: toAllow, why: toAllow.length > 0 ? null : whyNoRule(verdict) };
    },
    effectOf: async ({ agent, rules, document }) => {
      requireRules(rules);
      const seen = await pastOf(agent, document);
      return { ...effectOf(rules, seen), looked: seen.length };
    },
  };
}

function requireRules(rules: readonly Omit<Rule, 'id'>[]): void {
  const checked = checkRules(rules);
  const problem = checked.ok
    ? (rules.map((rule) => ruleProblem({ ...rule, id: 'new' })).find((it) => it !== null) ?? null)
    : checked.error;
  if (problem === null) return;
  throw refuse('invalid-request', `The rule cannot be understood: ${problem}`, 'Mend the rule.');
}
