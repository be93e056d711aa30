import { fileHead, s } from '../../base/index.ts';
import type { Schema, Static, StaticFields } from '../../base/index.ts';

/**
 * The policy document `exec-approvals.json`, version 1, and what is resolved from it.
 * Enumerations are ordered from strict to loose; `strictest` and the precedence rules rely on it.
 */

export const securityModes = ['deny', 'allowlist', 'full'] as const;
/** `deny` refuses all, `allowlist` asks the rules, `full` runs all that no rule holds back. */
export type Security = (typeof securityModes)[number];

export const askModes = ['always', 'on-miss', 'off'] as const;
/** When a person is asked: always, when no rule decides, never. */
export type AskMode = (typeof askModes)[number];

/** What decides when an ask is required and no approver can be reached. Same words as `Security`. */
type AskFallback = Security;

export const ruleEffects = ['deny', 'ask', 'allow'] as const;
/** Deny wins over ask, ask wins over allow. */
export type RuleEffect = (typeof ruleEffects)[number];

export const presenceModes = ['passkey', 'hold', 'either'] as const;
/** What it takes to allow what a person is asked about: a passkey, a held button, or either. */
export type Presence = (typeof presenceModes)[number];

const presence = s.oneOf(presenceModes);
const presenceByRisk = s.file(s.partial({ none: presence, low: presence, high: presence }));
export type PresenceByRisk = Static<typeof presenceByRisk>;

/** How many different people have to allow it, each with a passkey of their own where it is more than one. */
export const mostApprovers = 2;
const approvers = s.integer({ minimum: 1, maximum: mostApprovers });
const approversByRisk = s.file(s.partial({ none: approvers, low: approvers, high: approvers }));
export type ApproversByRisk = Static<typeof approversByRisk>;

/** The kinds of request that pass the gate: each an analyser and a view. */
export const requestKinds = ['exec', 'edit', 'fetch', 'mcp', 'egress'] as const;
export type RequestKind = (typeof requestKinds)[number];

const time = s.number({ minimum: 0 });
const globText = s.string({ maxLength: 4_096, pattern: '^[^\\u0000]*$' });
const token = s.string({ maxLength: 65_536 });
const lines = s.array(s.string({ maxLength: 65_536 }), { maxItems: 100 });

/**
 * One token of a rule's argument list: a literal or glob, or alternatives of them. A trailing
 * `"..."` stands for "anything after".
 */
const argToken = s.union(token, s.array(token, { minItems: 1, maxItems: 1_000 }));
export type ArgToken = Static<typeof argToken>;

const ruleExamples = s.file({
  /** Command lines that the rule must match, or the rule cannot be saved. */
  match: s.optional(lines),
  /** Command lines that it must not match. */
  noMatch: s.optional(lines),
});

/**
 * What a rule says, besides its id. Times are milliseconds since the epoch. A field that is not
 * here makes the file invalid, unless its name begins with `x-`: such fields decide nothing.
 */
const ruleFields = {
  /** Absent means `allow`, as in files written by older programs. */
  effect: s.optional(s.oneOf(ruleEffects)),
  /** Absent means `exec`. */
  kind: s.optional(s.oneOf(requestKinds)),
  /**
   * Glob over the real path of the executable, or a bare name for a trusted PATH hit. For other
   * kinds: over the real path of the file (`edit`), the address (`fetch`), `server/tool` (`mcp`).
   * For `egress` it is not a glob, but a host as in `egress.allow` of the settings.
   */
  pattern: globText,
  /** For kinds other than `exec`: glob over the name of the agent's tool. Absent: any tool. */
  tool: s.optional(globText),
  args: s.optional(s.array(argToken, { maxItems: 1_000 })),
  /** Regular expression over the arguments joined by one space, run in linear time. */
  argPattern: s.optional(s.string({ maxLength: 65_536 })),
  /**
   * What is set for the program, each as `NAME=value`: the rule covers it only with exactly these.
   * Absent: whatever may be set, but for a rule that an answer made: nothing but plain variables.
   */
  env: s.optional(
    s.array(s.string({ maxLength: 65_536, pattern: '^[A-Za-z_][A-Za-z0-9_]*=' }), {
      maxItems: 100,
    }),
  ),
  /** Globs of absolute paths that the stage may write by redirection. */
  writes: s.optional(s.array(globText, { maxItems: 100 })),
  /** An allow rule covers only uses of which the program's record says that they print and change nothing. */
  only: s.optional(s.literal('reads')),
  /** sha256 (hex) of the executable or script: needed for files that an agent can change. */
  sha256: s.optional(s.string({ pattern: '^[0-9a-f]{64}$' })),
  /**
   * sha256 (hex) of the code that stands in the command and is given to an interpreter as input. The
   * rule covers that text and no other; without it, no rule covers such a command.
   */
  code: s.optional(s.string({ pattern: '^[0-9a-f]{64}$' })),
  /**
   * Digests of scripts of a `package.json`, each of its name and its text: the rule covers commands
   * that run one of these, as long as it reads so.
   */
  scripts: s.optional(s.array(s.string({ pattern: '^[0-9a-f]{64}$' }), { maxItems: 1_000 })),
  /**
   * sha256 (hex) of the files that say what the command does: a compose file with what it takes in,
   * a manifest, a file of code. The rule covers the command as long as they read so.
   */
  files: s.optional(s.string({ pattern: '^[0-9a-f]{64}$' })),
  /** Glob over the real working directory. */
  cwd: s.optional(globText),
  /** The rule does not cover a command with findings above this level. Absent: no limit. */
  maxRisk: s.optional(s.oneOf(['none', 'low'])),
  host: s.optional(s.string({ minLength: 1, maxLength: 128 })),
  /** For rules that ask: what it takes to allow it. */
  presence: s.optional(presence),
  /** For rules that ask: how many different people have to allow it. Absent: one. */
  approvers: s.optional(approvers),
  /** `allow-always` when a person's answer to a prompt made it. */
  source: s.optional(s.string({ maxLength: 128 })),
  note: s.optional(s.string({ maxLength: 4_096 })),
  createdAt: s.optional(time),
  expiresAt: s.optional(s.nullable(time)),
  lastUsedAt: s.optional(time),
  /** How many commands it has decided. */
  uses: s.optional(s.integer({ minimum: 0 })),
  lastUsedCommand: s.optional(s.string()),
  lastResolvedPath: s.optional(s.string()),
  examples: s.optional(ruleExamples),
};

/** The longest allowlist. */
export const mostRules = 50_000;

/** A rule that has not got its id yet. */
export const newRuleSchema = s.file(ruleFields);
export type NewRule = Static<typeof newRuleSchema>;

/** One rule of an allowlist. */
export const ruleSchema = s.file({ id: s.string({ minLength: 1, maxLength: 128 }), ...ruleFields });
export type Rule = Static<typeof ruleSchema>;

/** What each mode may be. */
export const modeValues = {
  security: s.oneOf(securityModes),
  ask: s.oneOf(askModes),
  askFallback: s.oneOf(securityModes),
  /** How long a person has for an answer, in milliseconds. */
  askTimeoutMs: s.integer({ minimum: 1_000, maximum: 86_400_000 }),
  /** What it takes to allow what has findings of this level at most. Absent: a hold, or a passkey, for `high`. */
  presence: presenceByRisk,
  /** How many different people have to allow what has findings of this level at most. Absent: one. */
  approvers: approversByRisk,
};
const modeFields = s.partial(modeValues);

/** The modes that can be set at each level; an absent field falls through to the next level. */
export type PolicyModes = StaticFields<typeof modeFields>;

const levelFields = {
  ...modeFields,
  /** Of OpenClaw: kept for it, and never looked at. */
  autoAllowSkills: s.optional(s.boolean()),
};

const agentFields = {
  ...levelFields,
  /** Of OpenClaw: what it lets servers' tools do. Kept for it, and never looked at. */
  mcpTools: s.optional(s.array(s.open({}), { maxItems: 50_000 })),
};

const agentPolicy = s.file({
  ...agentFields,
  allowlist: s.optional(s.array(ruleSchema, { maxItems: mostRules })),
});
export type AgentPolicy = Static<typeof agentPolicy>;

const documentFields = {
  ...fileHead,
  socket: s.optional(
    s.file({
      path: s.optional(s.string({ maxLength: 4_096 })),
      token: s.optional(s.string({ maxLength: 1_024 })),
    }),
  ),
  defaults: s.optional(s.file(levelFields)),
};
/** Values by the names of agents, as many as a file may have. */
export const agentsOf = <T>(agent: Schema<T>) =>
  s.optional(s.record(agent, { maxProperties: 1_000 }));

/** The policy with the forms of older programs brought up to date. */
const policySchema = s.file({ ...documentFields, agents: agentsOf(agentPolicy) });
export type PolicyDocument = Static<typeof policySchema>;

/** A rule as files have it: OpenClaw and older programs write some without an id. */
const ruleInFile = s.file({
  ...ruleFields,
  id: s.optional(s.string({ maxLength: 128 })),
  /** Of OpenClaw, which does not read it either; it is dropped. */
  commandText: s.optional(s.string()),
});
export type RuleInFile = Static<typeof ruleInFile>;

const agentInFile = s.file({
  ...agentFields,
  /** Older programs wrote a rule as its bare pattern. */
  allowlist: s.optional(s.array(s.union(ruleInFile, globText), { maxItems: mostRules })),
});
export type AgentInFile = Static<typeof agentInFile>;

/** `exec-approvals.json` as any program may have written it. */
export const policyFileSchema = s.file({ ...documentFields, agents: agentsOf(agentInFile) });
export type PolicyFile = Static<typeof policyFileSchema>;

/** What holds for one request: every field decided, `askFallback` never looser than `security`. */
export interface EffectivePolicy {
  readonly agent: string;
  readonly security: Security;
  readonly ask: AskMode;
  readonly askFallback: AskFallback;
  readonly askTimeoutMs: number;
  /** Asking was off before somebody bounded it: asked about is only what would have run. */
  readonly deniesMisses?: boolean;
  /** What it takes to allow what is asked about, by its risk; absent: the policy does not say. */
  readonly presence?: PresenceByRisk;
  /** How many people have to allow it, by its risk; absent: one. */
  readonly approvers?: ApproversByRisk;
  /** The agent's rules, then the wildcard's. */
  readonly rules: readonly Rule[];
}
