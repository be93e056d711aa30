import { s } from '../base/index.ts';
import type { Static, StaticFields } from '../base/index.ts';
import { adviceSchema } from './advisors.ts';
import { clauseSchema } from './proposals/clauses.ts';
import { opaqueReasons, spanSchema } from './plan/types.ts';
import { assertionSchema } from './passkey.ts';
import type { Assertion } from './passkey.ts';
import { mostApprovers, newRuleSchema, presenceModes, requestKinds } from './policy/types.ts';
import { riskSchema } from './risk/finding.ts';
import { elevationSchema, mostElevationsTold } from './session-override.ts';
import { toolDetailSchema } from './tools/types.ts';

/** The frame's own cap bounds all text; the counts here bound what a page has to lay out. */
const many = { maxItems: 1_000 };

const text = s.string();
const textOrNull = s.nullable(text);
const texts = s.array(text, many);
const count = s.integer({ minimum: 0 });
const id = s.string({ minLength: 1, maxLength: 200 });
const digest = s.string({ pattern: '^[0-9a-f]{64}$' });

/** One process of the chain from the asking peer up to a terminal or an app. */
const ancestorProcess = s.object({
  pid: count,
  name: text,
  /** Command line, display-safe and cut to 200 characters. */
  command: text,
});
export type AncestorProcess = Static<typeof ancestorProcess>;

const stagePrograms = ['file', 'builtin', 'missing', 'tool'] as const;

/** What a command can do to something. Each view has its own words for them. */
export const actKinds = [
  'reads',
  'writes',
  'edits',
  'deletes',
  'into',
  'runs',
  'loads',
  'sets',
  'sends',
  'fetches',
] as const;
export type ActKind = (typeof actKinds)[number];

/** One thing that a stage does; `of` is as it was written, and empty where it is not known. */
const act = s.object({ act: s.oneOf(actKinds), of: s.array(text, { maxItems: 20 }) });
export type Act = Static<typeof act>;

/** A stage as a prompt shows it. */
const askStage = s.object({
  argv: s.array(text, { maxItems: 20_000 }),
  resolvedPath: textOrNull,
  /** What the first word is: a file, a part of the shell, or nothing that was found. */
  program: s.optional(s.oneOf(stagePrograms)),
  via: texts,
  cwd: textOrNull,
  writes: texts,
  /** Which rule missed and why, or which one decided. */
  why: text,
  /** The same as a stable word, for who says it in another language. */
  whyCode: s.optional(s.string({ minLength: 1, maxLength: 64 })),
  /** What the record of its program says that it does: a sentence. Absent: nothing is known. */
  does: s.optional(text),
  /** The same taken apart, with its files and addresses. */
  acts: s.optional(s.array(act, many)),
  span: s.nullable(spanSchema),
});
export type AskStage = Static<typeof askStage>;

export const grantDurations = ['once', '15-minutes', 'session', 'until-restart', 'always'] as const;
export type GrantDuration = (typeof grantDurations)[number];

/** The durations besides `once`. */
const lastingDurations = [
  '15-minutes',
  'session',
  'until-restart',
  'always',
] as const satisfies readonly GrantDuration[];

/** From narrow to wide; `files` is the same with other files of the folder. */
export const proposalScopes = [
  'exact',
  'files',
  'script',
  'scripts',
  'subcommand',
  'reads',
  'local',
  'program',
] as const;

/** One way to remember a "yes", from narrow to wide. */
const proposalSchema = s.object({
  id,
  scope: s.oneOf(proposalScopes),
  /** What it would match, as a sentence. */
  sentence: text,
  /** The same taken apart, for who says it in another language. */
  clauses: s.optional(s.array(clauseSchema, many)),
  /** One rule per stage that no rule covers yet. Shown by who receives it, never applied. */
  rules: s.array(newRuleSchema, many),
  /** Past commands that it would have covered. */
  pastCommands: texts,
  /** The one to stand beside "allow once": as wide as is safe for a command that only reads. */
  suggested: s.optional(s.boolean()),
});
export type Proposal = Static<typeof proposalSchema>;

/** What of an ask says what would happen, and why it is asked about. */
const shownFields = {
  kind: s.oneOf(requestKinds),
  toolUseId: textOrNull,
  /** The agent's own words for why. Untrusted text. */
  statedReason: textOrNull,
  cwd: text,
  /** The whole command as text; for `argv` requests the words, each quoted. */
  command: text,
  isShellText: s.boolean(),
  /** What the use of a tool would do: a diff, its input. Untrusted text. */
  detail: s.optional(s.nullable(toolDetailSchema)),
  stages: s.array(askStage, many),
  opaque: s.nullable(
    s.object({ reason: s.oneOf(opaqueReasons), detail: text, span: s.nullable(spanSchema) }),
  ),
  /** Why a person is asked: a sentence. */
  why: text,
  /** The same as a stable word, for who says it in another language. */
  whyCode: s.optional(s.string({ minLength: 1, maxLength: 64 })),
  risk: riskSchema,
  /** What an advisor of the person's choice said of it: a claim. Absent: none was asked. */
  advice: s.optional(adviceSchema),
  env: s.array(s.object({ name: text, value: text, unsafe: s.boolean() }), many),
};

/** A machine that is a node of this one. */
const askedNode = s.object({
  /** As its key says. */
  id: digest,
  /** As a person has paired it, display-safe. */
  name: text,
});

/** What the runner shows to a person. It is data: nothing in it is ever interpreted. */
export const askSchema = s.object({
  id,
  agent: text,
  session: textOrNull,
  host: text,
  /** The node that asks: it would happen there, and all that is shown of it is that machine's word. */
  node: s.optional(askedNode),
  ...shownFields,
  /** Why it cannot be remembered for good: a sentence; absent where it can. */
  whyNotAlways: s.optional(text),
  /** What it takes to allow it, and then once alone; absent: a hold, or a passkey, where the risk is high. */
  presence: s.optional(s.oneOf(presenceModes)),
  /** How many different people have to allow it, each with a passkey of their own. Absent: one. */
  approvers: s.optional(s.integer({ minimum: 1, maximum: mostApprovers })),
  /** Who of them has said yes already. */
  answered: s.optional(
    s.array(s.object({ person: textOrNull, passkey: text, at: count }), {
      maxItems: mostApprovers,
    }),
  ),
  ancestry: s.array(ancestorProcess, { maxItems: 64 }),
  proposals: s.array(proposalSchema, many),
  /** The rule that a lasting "no" would write; absent: a "no" is not remembered. */
  never: s.optional(proposalSchema),
  /** Durations a person may choose from; `always` is missing for risky and opaque commands. */
  durations: s.array(s.oneOf(grantDurations), { maxItems: grantDurations.length }),
  /** An `always` may be given for every agent, not just the one that asks. Absent: it may not. */
  everyAgent: s.optional(s.boolean()),
  /** Milliseconds since the epoch, on the runner's clock. */
  createdAt: count,
  expiresAt: count,
});
export type Ask = Static<typeof askSchema>;

/** The name of an agent for a person to read: whose name nothing proves is asked about as `*`. */
export function agentWords(agent: string, unproven = 'an unproven agent'): string {
  return agent === '*' ? unproven : agent;
}

/**
 * Who asks, in a line that begins with it: the agent, and behind it the node where it would happen.
 *
 * @param unproven what stands for an agent whose name nothing proves, in the reader's language
 */
export function askerOf(
  { agent, node }: Pick<Ask, 'agent' | 'node'>,
  unproven = 'An unproven agent',
): string {
  const name = agentWords(agent, unproven);
  return node === undefined ? name : `${name} (${node.name})`;
}

/** The node as a sentence: what is shown is its word. */
export function nodeWords(node: NonNullable<Ask['node']>): string {
  return `${node.name} (${node.id.slice(0, 16)}) asks, and says all of this itself. It would happen there, this once.`;
}

/** What a node shows of an ask of its own to its gateway. A passkey and a second person stay its own. */
export const relayedAskSchema = s.object({
  ...shownFields,
  presence: s.optional(s.oneOf(['hold', 'either'])),
  isSandboxed: s.boolean(),
});
export type RelayedAsk = Static<typeof relayedAskSchema>;

export const decisionWords = ['allow-once', 'allow-always', 'deny'] as const;
export type DecisionWord = (typeof decisionWords)[number];

/** How an `allow-always` is to be remembered. */
export const rememberSchema = s.object({
  duration: s.oneOf(lastingDurations),
  proposalId: id,
  /** For every agent, where the ask offers that; only with `always`. Absent: for the one that asks. */
  everyAgent: s.optional(s.boolean()),
});
export type Remember = Static<typeof rememberSchema>;

const decisionFields = {
  id,
  /** sha256 (hex) of the exact ask body that was shown. */
  askDigest: digest,
  /** A note that reaches the agent in the refusal. */
  note: s.optional(s.string({ maxLength: 2_000 })),
};

/** The fields of a person's answer that remembers nothing, and of one that may. */
export const plainDecisionFields = {
  ...decisionFields,
  decision: s.literal('allow-once'),
  /** What a passkey signed over `challengeOfAnswer`. */
  assertion: s.optional(assertionSchema),
};
export const lastingDecisionFields = {
  ...decisionFields,
  decision: s.oneOf(['allow-always', 'deny']),
  remember: s.optional(rememberSchema),
};

/** A person's answer. It counts only for the ask whose digest it names. */
export interface Decision extends StaticFields<typeof decisionFields> {
  readonly decision: DecisionWord;
  readonly remember?: Remember;
  readonly assertion?: Assertion;
}

export const withdrawReasons = [
  'answered',
  /** A rule or a grant that came meanwhile covers it: nobody has to be asked any more. */
  'covered',
  'expired',
  'requester-gone',
  'lockout',
  /** Of the one named box in whose name it was asked. */
  'box-lockout',
  'pause',
  'runner-stopping',
] as const;
export type WithdrawReason = (typeof withdrawReasons)[number];

/** What the runner tells the approver about itself, whenever it changes. */
export const runnerStateSchema = s.object({
  mode: s.oneOf(['armed', 'paused', 'locked']),
  reason: textOrNull,
  running: count,
  pending: count,
  /** Null when the policy file is valid and no agent is disarmed; else what is wrong, in a sentence. */
  policyProblem: textOrNull,
  /** Sessions that a person has raised; absent: none. */
  elevated: s.optional(s.array(elevationSchema, { maxItems: mostElevationsTold })),
});
export type RunnerState = Static<typeof runnerStateSchema>;

/** What an ask offers besides "once" and "deny". */
interface Offer {
  /** In the order of the ask; empty when nothing can be remembered. */
  readonly durations: readonly Remember['duration'][];
  /** From narrow to wide; empty when nothing can be remembered. */
  readonly proposals: readonly Proposal[];
}

const nothing: Offer = { durations: [], proposals: [] };

/** Whether a plain click is not enough to allow it: a hold or a passkey has to show a person. */
export function needsStepUp({
  risk,
  presence,
  approvers = 1,
}: Pick<Ask, 'risk' | 'presence' | 'approvers'>): boolean {
  return risk.level === 'high' || presence !== undefined || approvers > 1;
}

/**
 * What of an ask can be remembered, whatever it claims to offer: nothing of high risk or that needs more than a click, and an opaque
 * command only as the very command that it is and never for good.
 */
export function offerOf(
  ask: Pick<Ask, 'durations' | 'proposals' | 'risk' | 'opaque' | 'presence' | 'approvers'>,
): Offer {
  if (needsStepUp(ask)) return nothing;
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
type Choice =
  | { readonly kind: 'once' | 'deny' }
  /** No, and the rule that says so from now on. */
  | { readonly kind: 'never'; readonly proposal: Proposal }
  | {
      readonly kind: 'remember';
      readonly proposal: Proposal;
      readonly duration: Remember['duration'];
      readonly everyAgent: boolean;
    };

/**
 * Whether a yes would hold for every agent: as it was given, or as a rule of who proves no name, which
 * is everybody's.
 */
export function holdsForAll(agent: string, duration: string, everyAgent: boolean): boolean {
  return everyAgent || (agent === '*' && duration === 'always');
}

/** Whom a lasting yes would hold for: a sentence, which stands behind what it covers. */
export function holdsFor(agent: string, duration: string, everyAgent: boolean): string {
  if (holdsForAll(agent, duration, everyAgent))
    return 'Holds for every agent, also for those that come later.';
  return `Holds for ${agentWords(agent, 'unproven agents')} only.`;
}

/**
 * What a decision picks, or null when the ask did not offer it. An "always" that names nothing to
 * remember, as older programs send it, means the narrowest proposal for good.
 */
export function choiceOf(
  ask: Pick<
    Ask,
    | 'durations'
    | 'proposals'
    | 'risk'
    | 'opaque'
    | 'never'
    | 'everyAgent'
    | 'presence'
    | 'approvers'
  >,
  { decision, remember }: Pick<Decision, 'decision' | 'remember'>,
): Choice | null {
  if (decision === 'deny' && remember !== undefined) {
    const { never } = ask;
    const isOffered =
      never?.id === remember.proposalId &&
      remember.duration === 'always' &&
      remember.everyAgent !== true;
    return isOffered ? { kind: 'never', proposal: never } : null;
  }
  if (decision !== 'allow-always') {
    if (remember !== undefined) return null;
    return { kind: decision === 'deny' ? 'deny' : 'once' };
  }
  const { durations, proposals } = offerOf(ask);
  const duration = remember?.duration ?? 'always';
  const proposal =
    remember === undefined
      ? proposals[0]
      : proposals.find((each) => each.id === remember.proposalId);
  if (proposal === undefined || !durations.includes(duration)) return null;
  const everyAgent = remember?.everyAgent === true;
  if (everyAgent && (ask.everyAgent !== true || duration !== 'always')) return null;
  return { kind: 'remember', proposal, duration, everyAgent };
}
