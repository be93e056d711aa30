import { compile, refusalOf, refuse, s } from '../../shared/base/index.ts';
import {
  brokeredWords,
  confirmedForTool,
  newRuleSchema,
  ruleProblem,
} from '../../shared/engine/index.ts';
import type {
  EarlierCommand,
  Engine,
  PolicyDocument,
  Rule,
  Situation,
  Verdict,
} from '../../shared/engine/index.ts';
import { admitToolCall, readToolPolicy } from '../../shared/home/index.ts';
import { checkBody } from '../../shared/wire/index.ts';
import type {
  CheckBody,
  HistoryEntry,
  RuleSuggestion,
  SimulatedEffect,
  SimulatedToolCall,
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
  /** Where the policies of brokered tools are, and which secrets are kept. Absent: none is brokered. */
  readonly tools?: ToolPlaces;
}

type ToolPlaces = Parameters<typeof admitToolCall>[1];

/**
 * What the broker would say to a command, as it says it to one for the host `tools`; null where no
 * tool of that name is brokered.
 */
async function toolCallOf(
  request: TestRequest,
  {
    situation: asked,
    engine,
    tools,
  }: Pick<SimulatorOptions, 'engine' | 'tools'> & {
    readonly situation: Situation;
  },
): Promise<SimulatedToolCall | null> {
  const stages = asked.analysis.ok ? asked.analysis.plan.stages : asked.analysis.stages;
  const name = stages[0]?.argv[0];
  if (tools === undefined || name === undefined) return null;
  const file = await readToolPolicy(tools.directory, name, tools.uid);
  if (!file.ok && file.missing) return null;
  const words = file.ok ? brokeredWords(file.policy) : [];
  const fromSandbox = words.includes('*') || words.includes(stages[0]?.argv[1] ?? '');
  try {
    const { cwd, command: text, ...who } = request;
    const argv = stages[0]?.argv ?? [];
    const call = await engine.situation({ ...who, request: { argv, cwd }, host: 'tools' });
    // A tool is called by words alone: what text does beside them (another file, a variable) is not a call.
    const isText = canonicalOf(call) !== canonicalOf(asked);
    const command = isText ? { command: text, cwd } : { argv, cwd };
    const admitted = await admitToolCall({ command, analysis: call.analysis }, tools);
    const { credentials, folder, timeout = null, rate } = admitted.policy;
    const verdict = confirmedForTool(engine.decide(call), admitted.confirm);
    return {
      name,
      verdict: verdict.decision,
      message: verdict.message,
      hint: null,
      fromSandbox,
      given: {
        secrets: credentials.map(({ secret, variable }) => ({ name: secret, variable })),
        folder,
        timeout,
        perMinute: rate?.perMinute ?? null,
      },
    };
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === undefined) throw error;
    const { message, hint } = refusal;
    return { name, verdict: 'deny', message, hint, fromSandbox, given: null };
  }
}

/** What runs, as text; null where it is not understood, which is like nothing else. */
function canonicalOf({ analysis }: Situation): string | symbol {
  return analysis.ok ? analysis.plan.canonical : Symbol('not understood');
}

/** How many past commands are looked at. */
const mostLooked = 200;

const checkRules = compile(s.array(newRuleSchema));

/** Puts "what if" to the engine. Changes nothing. */
export function createSimulator({ engine, past, tools }: SimulatorOptions): Simulator {
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
    return { situation, ...(await engine.explain(situation, seen)) };
  };

  return {
    simulate: async (request) => {
      const { situation, verdict, fallback, deciding, toAllow } = await explain(request);
      return {
        check: checkBody(verdict),
        fallback,
        deciding,
        stages: verdict.matches.map(({ rule, why }) => ({ ruleId: rule?.id ?? null, why })),
        toAllow,
        tool: await toolCallOf(request, {
          situation,
          engine,
          ...(tools !== undefined && { tools }),
        }),
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
