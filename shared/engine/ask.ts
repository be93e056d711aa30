import type { OpaqueReason, Span } from './plan/types.ts';
import type { RequestKind, Rule } from './policy/types.ts';
import type { Risk } from './risk/finding.ts';
import type { ToolDetail } from './tools/types.ts';

/** One process of the chain from the asking peer up to a terminal or an app. */
export interface AncestorProcess {
  readonly pid: number;
  readonly name: string;
  /** Command line, display-safe and cut to 200 characters. */
  readonly command: string;
}

export const stagePrograms = ['file', 'builtin', 'missing', 'tool'] as const;
export type StageProgram = (typeof stagePrograms)[number];

/** A stage as a prompt shows it. */
export interface AskStage {
  readonly argv: readonly string[];
  readonly resolvedPath: string | null;
  /** What the first word is: a file, a part of the shell, or nothing that was found. */
  readonly program?: StageProgram;
  readonly via: readonly string[];
  readonly cwd: string | null;
  readonly writes: readonly string[];
  /** Which rule missed and why, or which one decided. */
  readonly why: string;
  readonly span: Span | null;
}

export const grantDurations = ['once', '15-minutes', 'session', 'until-restart', 'always'] as const;
export type GrantDuration = (typeof grantDurations)[number];

/** From narrow to wide; `files` is the same with other files of the folder. */
export const proposalScopes = ['exact', 'files', 'subcommand', 'program'] as const;
export type ProposalScope = (typeof proposalScopes)[number];

/** One way to remember a "yes", from narrow to wide. */
export interface Proposal {
  readonly id: string;
  readonly scope: ProposalScope;
  /** What it would match, as a sentence. */
  readonly sentence: string;
  /** One rule per stage that no rule covers yet. */
  readonly rules: readonly Omit<Rule, 'id'>[];
  /** Past commands that it would have covered. */
  readonly pastCommands: readonly string[];
}

/** What the runner shows to a person. It is data: nothing in it is ever interpreted. */
export interface Ask {
  readonly id: string;
  readonly kind: RequestKind;
  readonly agent: string;
  readonly session: string | null;
  readonly toolUseId: string | null;
  /** The agent's own words for why. Untrusted text. */
  readonly statedReason: string | null;
  readonly host: string;
  readonly cwd: string;
  /** The whole command as text; for `argv` requests the words, each quoted. */
  readonly command: string;
  readonly isShellText: boolean;
  /** What the use of a tool would do: a diff, its input. Untrusted text. */
  readonly detail?: ToolDetail | null;
  readonly stages: readonly AskStage[];
  readonly opaque: {
    readonly reason: OpaqueReason;
    readonly detail: string;
    readonly span: Span | null;
  } | null;
  /** Why a person is asked: a sentence. */
  readonly why: string;
  readonly risk: Risk;
  readonly env: readonly {
    readonly name: string;
    readonly value: string;
    readonly unsafe: boolean;
  }[];
  readonly ancestry: readonly AncestorProcess[];
  readonly proposals: readonly Proposal[];
  /** Durations a person may choose from; `always` is missing for risky and opaque commands. */
  readonly durations: readonly GrantDuration[];
  /** Milliseconds since the epoch, on the runner's clock. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

export const decisionWords = ['allow-once', 'allow-always', 'deny'] as const;
export type DecisionWord = (typeof decisionWords)[number];

/** How an `allow-always` is to be remembered. */
export interface Remember {
  readonly duration: Exclude<GrantDuration, 'once'>;
  readonly proposalId: string;
}

/** A person's answer. It counts only for the ask whose digest it names. */
export interface Decision {
  readonly id: string;
  /** sha256 (hex) of the exact ask body that was shown. */
  readonly askDigest: string;
  readonly decision: DecisionWord;
  readonly remember?: Remember;
  /** A note that reaches the agent in the refusal. */
  readonly note?: string;
}

export const withdrawReasons = [
  'answered',
  'expired',
  'requester-gone',
  'lockout',
  'pause',
  'runner-stopping',
] as const;
export type WithdrawReason = (typeof withdrawReasons)[number];

/** What the runner tells the approver about itself, whenever it changes. */
export interface RunnerState {
  readonly mode: 'armed' | 'paused' | 'locked';
  readonly reason: string | null;
  readonly running: number;
  readonly pending: number;
  /** Null when the policy file is valid; else the sentence that says what is wrong. */
  readonly policyProblem: string | null;
}

/** What an ask offers besides "once" and "deny". */
export interface Offer {
  /** In the order of the ask; empty when nothing can be remembered. */
  readonly durations: readonly Remember['duration'][];
  /** From narrow to wide; empty when nothing can be remembered. */
  readonly proposals: readonly Proposal[];
}

const nothing: Offer = { durations: [], proposals: [] };

/**
 * What of an ask can be remembered, whatever it claims to offer: nothing of high risk, and an opaque
 * command only as the very command that it is and never for good.
 */
export function offerOf(ask: Pick<Ask, 'durations' | 'proposals' | 'risk' | 'opaque'>): Offer {
  if (ask.risk.level === 'high') return nothing;
  const durations = ask.durations.filter((duration) => duration !== 'once');
  const offer =
    ask.opaque === null
      ? { durations, proposals: ask.proposals }
      : {
          durations: durations.filter((duration) => duration !== 'always'),
          proposals: ask.proposals.filter(({ rules }) => rules.length === 0),
        };
  return offer.durations.length > 0 && offer.proposals.length > 0 ? offer : nothing;
}

/** What a decision picks of an ask. */
export type Choice =
  | { readonly kind: 'once' | 'deny' }
  | {
      readonly kind: 'remember';
      readonly proposal: Proposal;
      readonly duration: Remember['duration'];
    };

/**
 * What a decision picks, or null when the ask did not offer it. An "always" that names nothing to
 * remember, as older programs send it, means the narrowest proposal for good.
 */
export function choiceOf(
  ask: Pick<Ask, 'durations' | 'proposals' | 'risk' | 'opaque'>,
  { decision, remember }: Pick<Decision, 'decision' | 'remember'>,
): Choice | null {
  if (decision !== 'allow-always') {
    if (remember !== undefined) return null;
    return { kind: decision === 'deny' ? 'deny' : 'once' };
  }
  const { durations, proposals } = offerOf(ask);
  const duration = remember?.duration ?? 'always';
  const proposal =
    remember === undefined ? proposals[0] : proposals.find(({ id }) => id === remember.proposalId);
  if (proposal === undefined || !durations.includes(duration)) return null;
  return { kind: 'remember', proposal, duration };
}
