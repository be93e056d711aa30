import type { Analysis, CommandRequest, GuardedUse, Surroundings } from '../plan/types.ts';
import type { EffectivePolicy, RequestKind, Rule, RuleEffect } from '../policy/types.ts';
import type { Risk } from '../risk/finding.ts';
import { missReasons } from '../rules/matching.ts';

/** Everything a verdict depends on. Nothing else is looked at: the same input, the same verdict. */
export interface DecideInput {
  readonly policy: EffectivePolicy;
  readonly analysis: Analysis;
  readonly request: CommandRequest;
  /** Absent means `exec`. */
  readonly kind?: RequestKind;
  /** The host on which it is to run, after routing; `auto` where the decision says which. */
  readonly host: string;
  /** With `auto`: the host that the request wants. */
  readonly wanted?: 'sandbox';
  /** With `auto`: why what it changes in the sandbox could not be taken back; absent where it can, or need not. */
  readonly unkept?: string;
  /** With `auto`: what a sandbox would give. */
  readonly sandbox?: SandboxOffer;
  /** With `auto`: the box of the session, where something goes on in it; absent: there is none. */
  readonly box?: SessionBox;
  /**
   * Whether something on this machine listens on a TCP port of its loopback. Called only where an
   * address of it is named; absent: it does.
   */
  readonly isServedHere?: (port: number) => boolean;
  /** Why whoever asks may not have it done, whatever the rules say; null where nothing is against it. */
  readonly barred?: string | null;
  /** Milliseconds since the epoch, for rules that expire. */
  readonly now: number;
  readonly platform: Surroundings['platform'];
  /** Absolute home directory, for `~` in rules. */
  readonly home: string;
  /** sha256 (hex) of a file's content, or null when it cannot be read. Called only where a rule needs it. */
  readonly hashFile: (path: string) => string | null;
}

/** What goes on in the box that a session's commands come to. Looked at when it is asked. */
export interface SessionBox {
  /** TCP ports on which something in it listens. */
  readonly ports: () => ReadonlySet<number>;
  /** Whether a process that a command has left running has this number in it. */
  readonly has: (pid: number) => boolean;
}

/** What a sandbox gives to commands of one folder. Paths are absolute and real. */
export interface SandboxOffer {
  /** The folder that they may change; null where the folder cannot be a workspace. */
  readonly workspace: string | null;
  /** Why nothing can run in a sandbox here, as a sentence; null where it can. */
  readonly problem: string | null;
  /** Whether it has no connection to anything outside. */
  readonly isOffline: boolean;
  /** Whether its loopback is not that of this machine. */
  readonly hasOwnLoopback: boolean;
  readonly isWritable: boolean;
  /** Folders and files besides the workspace that can be read there, and those that can be changed. */
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  /** Programs whose calls the gate itself runs, by the first words of such calls; `*` for all. */
  readonly brokered: BrokeredCalls;
}

/** By the name of the program. */
export type BrokeredCalls = ReadonlyMap<string, readonly string[]>;

/** Stable words for what became of one stage. */
export const stageReasons = [
  'rule-deny',
  'rule-ask',
  'rule-allow',
  'harmless',
  'missing',
  ...missReasons,
] as const;
export type StageReason = (typeof stageReasons)[number];

/** The rule that decided for one stage; null where none matched. */
export interface StageMatch {
  readonly stage: number;
  readonly rule: Rule | null;
  /** What was decided for the stage; null where nothing covers it. `allow` without a rule: harmless. */
  readonly effect: RuleEffect | null;
  /** The same as the sentence, as a stable word. */
  readonly code: StageReason;
  /** One sentence: which rule, or why none. */
  readonly why: string;
  /** The file that only for its content is not the one that a rule was made for, and the digest then. */
  readonly changed?: { readonly path: string; readonly sha256: string };
}

/** Stable words for what decided; `reason` of `interlock check`. */
export const verdictReasons = [
  'trust-level',
  'security-deny',
  'security-full',
  'rule-deny',
  'rule-ask',
  'rule-allow',
  'no-rule',
  'opaque',
  'never-trusted',
  'unsafe-environment',
  'guarded-place',
  'ask-always',
  'ask-off',
  'sandbox-unasked',
  'not-kept',
  'project-edit',
  'node-decides',
] as const;
export type VerdictReason = (typeof verdictReasons)[number];

/** What policy alone says about a request, before anybody is asked. */
export interface Verdict {
  readonly decision: 'allow' | 'ask' | 'deny';
  readonly reason: VerdictReason;
  /** Where it runs if it runs. */
  readonly host: string;
  /** One sentence for a person. */
  readonly message: string;
  /** What to do instead; for refusals. */
  readonly hint: string;
  readonly policy: EffectivePolicy;
  readonly analysis: Analysis;
  readonly matches: readonly StageMatch[];
  /** Allow rules cover the whole command and no rule holds it back, whatever the modes say. */
  readonly covered: boolean;
  /** What it would change or read that no rule names: no mode, grant or fallback lets it pass unasked. */
  readonly guarded: readonly GuardedUse[];
  readonly risk: Risk;
}
