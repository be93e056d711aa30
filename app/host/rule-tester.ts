import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { compile, refuse } from '../../shared/base/index.ts';
import {
  decide,
  effectOf,
  explain,
  policySchema,
  resolvePolicy,
  ruleProblem,
  whyNoRule,
} from '../../shared/engine/index.ts';
import type {
  Analysis,
  DecideInput,
  ExampleSurroundings,
  PastCommand,
  PolicyDocument,
  Rule,
  Verdict,
} from '../../shared/engine/index.ts';
import { loadAnalyser, surroundingsOf } from '../../shared/home/index.ts';
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
  /** All that a verdict on each of these commands depends on. The files are read once. */
  inputsFor(requests: readonly TestRequest[]): Promise<readonly DecideInput[]>;
  verdictOn(request: TestRequest): Promise<Verdict>;
  /** For trying rules against the examples that they carry. */
  examples(): Promise<ExampleSurroundings>;
  check(request: TestRequest): Promise<CheckBody>;
}

export interface TesterOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly uid: number;
  readonly now: () => number;
  readonly workspaces: readonly string[];
}

/** The host that the tester takes commands to be for: programs of other hosts are not seen here. */
const testedHost = 'gateway';

const largestHashedFile = 64 * 1024 * 1024;

/** Uses the same analysis and the same decision as the runner. */
export function createTester({ env, uid, now, workspaces }: TesterOptions): Tester {
  const inputsFor: Tester['inputsFor'] = async (requests) => {
    const analyser = await loadAnalyser();
    const surroundings = surroundingsOf({ env, uid, platform: process.platform, workspaces });
    return requests.map(({ agent, command, cwd, document }) => ({
      policy: resolvePolicy(document, { agent }),
      analysis: analyser.analyse({ command, cwd }, surroundings),
      request: { command, cwd },
      host: testedHost,
      now: now(),
      platform: surroundings.platform,
      home: surroundings.home,
      hashFile,
    }));
  };
  const verdictOn = async (request: TestRequest): Promise<Verdict> => {
    const [input] = await inputsFor([request]);
    return decide(input as DecideInput);
  };
  return {
    inputsFor,
    verdictOn,
    examples: async () => {
      const analyser = await loadAnalyser();
      const surroundings = surroundingsOf({ env, uid, platform: process.platform, workspaces });
      const { home, platform } = surroundings;
      const analyse = (command: string): Analysis =>
        analyser.analyse({ command, cwd: home }, surroundings);
      return { analyse, home, platform, hashFile, now: now() };
    },
    check: async (request) => checkBody(await verdictOn(request), { host: testedHost }),
  };
}

function hashFile(path: string): string | null {
  try {
    if (statSync(path).size > largestHashedFile) return null;
    return createHash('sha256').update(readFileSync(path)).digest('hex');
  } catch {
    return null;
  }
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
