import { compile, refuse, s } from '../../shared/base/index.ts';
import { newRuleSchema, ruleProblem } from '../../shared/engine/index.ts';
import type {
  EarlierCommand,
  Engine,
  PolicyDocument,
  Rule,
  Situation,
  Verdict,
} from '../../shared/engine/index.ts';
import { checkBody } from '../../shared/wire/index.ts';
import type {
  CheckBody,
  HistoryEntry,
  RuleSuggestion,
  SimulatedEffect,
  Simulation,
} from '../../shared/wire/index.ts';

interface TestRequest {
  readonly agent: string;
  readonly command: string;
  readonly cwd: string;
  readonly document: PolicyDocument | null;
}

/** Says what the policy would decide about a command, asking nobody and running nothing. */
export interface Tester {
  verdictOn(request: TestRequest): Promise<Verdict>;
  check(request: TestRequest): Promise<CheckBody>;
}

async function situationOf(
  { command, cwd, ...who }: TestRequest,
  engine: Engine,
): Promise<Situation> {
  return engine.situation({ ...who, request: { command, cwd } });
}

/** Puts a person's questions to the engine. */
export function createTester(engine: Engine): Tester {
  return {
    verdictOn: async (request) => engine.decide(await situationOf(request, engine)),
    check: async (request) => checkBody(engine.decide(await situationOf(request, engine))),
  };
}

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

interface SimulatorOptions {
  readonly engine: Engine;
  /** The newest commands of an agent in the log, at most so many. Rejects without a runner. */
  readonly past: (
    agent: string,
    limit: number,
  ) => Promise<readonly Pick<HistoryEntry, 'command' | 'cwd'>[]>;
}

/** How many past commands are looked at. */
const mostLooked = 200;

const checkRules = compile(s.array(newRuleSchema));

/** Puts "what if" to the engine. Changes nothing. */
export function createSimulator({ engine, past }: SimulatorOptions): Simulator {
  const pastOf = async (agent: string): Promise<readonly EarlierCommand[]> => {
    const seen = await past(agent, mostLooked);
    const each = new Map(seen.map(({ command, cwd }) => [`${cwd}\0${command}`, { command, cwd }]));
    return [...each.values()];
  };
  const explain = async (request: TestRequest) => {
    // Without a runner there is no history to show, and all the rest can still be said.
    const [situation, seen] = await Promise.all([
      situationOf(request, engine),
      pastOf(request.agent).catch(() => []),
    ]);
    return engine.explain(situation, seen);
  };

  return {
    simulate: async (request) => {
      const { verdict, fallback, deciding, toAllow } = await explain(request);
      return {
        check: checkBody(verdict),
        fallback,
        deciding,
        stages: verdict.matches.map(({ rule, why }) => ({ ruleId: rule?.id ?? null, why })),
        toAllow,
      };
    },
    suggest: async (request) => {
      const { toAllow, whyNone } = await explain(request);
      return { proposals: toAllow, why: whyNone };
    },
    effectOf: async ({ rules, ...question }) => {
      requireRules(rules);
      const seen = await pastOf(question.agent);
      return { ...(await engine.simulate(question, rules, seen)), looked: seen.length };
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
