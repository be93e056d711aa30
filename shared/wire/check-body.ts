import type { Proposal, Rule, Stage, Verdict } from '../engine/index.ts';
import type { CheckBody } from './api.ts';

interface CheckBodyOptions {
  readonly id?: string | number | undefined;
}

/** A verdict as `interlock check` and `POST /v1/check` answer it. */
export function checkBody(verdict: Verdict, options: CheckBodyOptions = {}): CheckBody {
  const { analysis, policy, risk } = verdict;
  const stages = analysis.ok ? analysis.plan.stages : analysis.stages;
  return {
    ...(options.id === undefined ? {} : { id: options.id }),
    verdict: verdict.decision,
    reason: verdict.reason,
    message: verdict.message,
    host: verdict.host,
    security: policy.security,
    ask: policy.ask,
    analysis: {
      ok: analysis.ok,
      reason: analysis.ok ? null : analysis.reason,
      stages: stages.map((stage, index) => ({
        argv: stage.argv,
        resolvedPath: resolvedPath(stage),
        ruleId: verdict.matches.find((match) => match.stage === index)?.rule?.id ?? null,
        via: stage.via,
      })),
    },
    risk: {
      level: risk.level,
      findings: risk.findings.map(({ code, text }) => ({ code, text })),
    },
    canonical: analysis.ok ? analysis.plan.canonical : null,
  };
}

/** Real path of the program of a stage, or null for builtins and programs that are not there. */
function resolvedPath({ executable }: Stage): string | null {
  return executable.kind === 'file' ? executable.realPath : null;
}

/** What would happen to a command, which rule decides, and what would change that. */
export interface Simulation {
  readonly check: CheckBody;
  /** What happens when nobody can be asked, as a sentence with its decision; null where nobody would be. */
  readonly fallback: { readonly decision: 'allow' | 'deny'; readonly message: string } | null;
  /** The rule that decides, where a single one does. */
  readonly deciding: Rule | null;
  /** Why each stage is covered or not, in order. */
  readonly stages: readonly { readonly ruleId: string | null; readonly why: string }[];
  /** Rules to add so that it runs unasked, from narrow to wide. */
  readonly toAllow: readonly Proposal[];
  /** What would become of it as a call of a brokered tool; null where no tool of its name is brokered. */
  readonly tool: SimulatedToolCall | null;
}

/** A call of a brokered tool, as the policy of the tool and then the agent's rules decide about it. */
export interface SimulatedToolCall {
  readonly name: string;
  readonly verdict: 'allow' | 'ask' | 'deny';
  /** A sentence. */
  readonly message: string;
  /** What to do instead, or what it takes; null where nothing is to be said. */
  readonly hint: string | null;
  /** Whether such a call comes to the gate when a command in the sandbox makes it. */
  readonly fromSandbox: boolean;
  /** What the tool is given; null where it is given nothing since it does not run. Never a value. */
  readonly given: {
    readonly secrets: readonly { readonly name: string; readonly variable: string }[];
    /** `private`: an empty folder made for the call. */
    readonly folder: 'private' | 'caller';
    /** Seconds; null where only the request says how long. */
    readonly timeout: number | null;
    /** Null where only the agent's own rate holds. */
    readonly perMinute: number | null;
  } | null;
}

/** What rules would have done to past commands. */
export interface SimulatedEffect {
  readonly nowAllowed: readonly string[];
  readonly nowDenied: readonly string[];
  readonly nowAsked: readonly string[];
  /** How many past commands were looked at. */
  readonly looked: number;
}

/** Rules to choose from, made from a command of the history. */
export interface RuleSuggestion {
  /** From narrow to wide; empty when no rule should be made of it. */
  readonly proposals: readonly Proposal[];
  /** Why there are none, as a sentence; null when there are. */
  readonly why: string | null;
}
