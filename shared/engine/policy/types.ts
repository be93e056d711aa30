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
export type AskFallback = Security;

export const ruleEffects = ['deny', 'ask', 'allow'] as const;
/** Deny wins over ask, ask wins over allow. */
export type RuleEffect = (typeof ruleEffects)[number];

/** The kinds of request that pass the gate: each an analyser and a view. `egress` is still to come. */
export const requestKinds = ['exec', 'edit', 'fetch', 'mcp', 'egress'] as const;
export type RequestKind = (typeof requestKinds)[number];

/**
 * One token of a rule's argument list: a literal or glob, or alternatives of them. A trailing
 * `"..."` stands for "anything after".
 */
export type ArgToken = string | readonly string[];

export interface RuleExamples {
  /** Command lines that the rule must match, or the rule cannot be saved. */
  readonly match?: readonly string[];
  /** Command lines that it must not match. */
  readonly noMatch?: readonly string[];
}

/** One rule of an allowlist. Times are milliseconds since the epoch. Unknown fields are kept. */
export interface Rule {
  readonly id: string;
  /** Absent means `allow`, as in files written by older programs. */
  readonly effect?: RuleEffect;
  /** Absent means `exec`. */
  readonly kind?: RequestKind;
  /**
   * Glob over the real path of the executable, or a bare name for a trusted PATH hit. For other
   * kinds: over the real path of the file (`edit`), the address (`fetch`), `server/tool` (`mcp`).
   */
  readonly pattern: string;
  /** For kinds other than `exec`: glob over the name of the agent's tool. Absent: any tool. */
  readonly tool?: string;
  readonly args?: readonly ArgToken[];
  /** Regular expression over the arguments joined by one space, run in linear time. */
  readonly argPattern?: string;
  /** Globs of absolute paths that the stage may write by redirection. */
  readonly writes?: readonly string[];
  /** sha256 (hex) of the executable or script: needed for files that an agent can change. */
  readonly sha256?: string;
  /** Glob over the real working directory. */
  readonly cwd?: string;
  /** The rule does not cover a command with findings above this level. Absent: no limit. */
  readonly maxRisk?: 'none' | 'low';
  readonly host?: string;
  /** `allow-always` when a person's answer to a prompt made it. */
  readonly source?: string;
  readonly note?: string;
  readonly createdAt?: number;
  readonly expiresAt?: number | null;
  readonly lastUsedAt?: number;
  /** How many commands it has decided. */
  readonly uses?: number;
  readonly lastUsedCommand?: string;
  readonly lastResolvedPath?: string;
  readonly examples?: RuleExamples;
}

/** The modes that can be set at each level; an absent field falls through to the next level. */
export interface PolicyModes {
  readonly security?: Security;
  readonly ask?: AskMode;
  readonly askFallback?: AskFallback;
  /** How long a person has for an answer, in milliseconds. */
  readonly askTimeoutMs?: number;
}

export interface AgentPolicy extends PolicyModes {
  readonly allowlist?: readonly Rule[];
}

export interface PolicyDocument {
  readonly version: 1;
  readonly socket?: { readonly path?: string; readonly token?: string };
  readonly defaults?: PolicyModes;
  readonly agents?: Readonly<Record<string, AgentPolicy>>;
}

/** What holds for one request: every field decided, `askFallback` never looser than `security`. */
export interface EffectivePolicy {
  readonly agent: string;
  readonly security: Security;
  readonly ask: AskMode;
  readonly askFallback: AskFallback;
  readonly askTimeoutMs: number;
  /** The agent's rules, then the wildcard's. */
  readonly rules: readonly Rule[];
}
