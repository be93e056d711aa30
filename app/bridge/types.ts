import type { Refusal } from '../../shared/base/index.ts';
import type {
  Ask,
  GrantDuration,
  PolicyDocument,
  PolicyPatch,
  Remember,
  Rule,
  RunnerState,
  WithdrawReason,
} from '../../shared/engine/index.ts';
import type {
  CheckBody,
  HealthCheck,
  HistoryEntry,
  HistoryStats,
  ImportFormat,
  ImportPreview,
  PendingAsk,
  RuleSuggestion,
  SimulatedEffect,
  Simulation,
} from '../../shared/wire/index.ts';
import type { Pace } from './arming.ts';
import type { SettingsView, ShellSettings } from './settings.ts';

/** The steps of the first-run guide, in order. */
export const guideSteps = [
  /** There is a valid policy. */
  'policy',
  /** A passphrase for unlocking is set. */
  'passphrase',
  /** The runner answers. */
  'runner',
  /** An agent has asked for something, or has a key of its own. */
  'agent',
  /** A person has answered a real ask. */
  'first-ask',
] as const;
export type GuideStep = (typeof guideSteps)[number];

/** What is set up so far. */
export interface GuideState {
  readonly steps: readonly {
    readonly step: GuideStep;
    readonly done: boolean;
    /** What to type or do, as a sentence or two; empty when done. */
    readonly hint: string;
  }[];
  /** Names of agents that have asked or have keys; the guide's own is not among them. */
  readonly agents: readonly string[];
  readonly finished: boolean;
}

/** The agent name that the guide's own asks use. */
export const guideAgent = 'interlock-guide';

/** A real ask that the guide raised: it waits in the queue, and its command runs if it is allowed. */
export interface TriedAsk {
  readonly askId: string;
  /** The command that waits for an answer. It is harmless. */
  readonly command: string;
  readonly expiresAt: number;
}

/** An ask in the queue, with the digest that an answer must name. */
export type QueuedAsk = PendingAsk;

/** An ask that ended without an answer from here. */
export interface MissedAsk {
  readonly ask: Ask;
  readonly reason: WithdrawReason;
  readonly at: number;
}

/** Which policy file there is, and whether it is valid. */
export interface PolicyStatus {
  /** Of the file's text; empty when there is no file that can be read. */
  readonly hash: string;
  /** Null when valid. */
  readonly problem: Refusal | null;
}

/** The policy file as a page may see it: the socket token is never part of it. */
export interface PolicyView extends PolicyStatus {
  /** Null while the file is not valid. */
  readonly document: PolicyDocument | null;
}

/** An unsaved edit of the policy: what it was made from, and what it changes there. */
export interface PolicyEdit {
  readonly baseHash: string;
  readonly patch: PolicyPatch;
}

/** Everything a page shows at all times. The policy itself is read with the call `policy`. */
export interface AppState {
  /** Grows by one with each push. */
  readonly revision: number;
  /** The host's clock at the time of the push, for the countdown. */
  readonly now: number;
  readonly runner: RunnerState | null;
  /** Oldest first. */
  readonly queue: readonly QueuedAsk[];
  /** Newest first, at most 200. */
  readonly missed: readonly MissedAsk[];
  readonly policy: PolicyStatus;
  /**
   * What the files of lockout and pause say. They hold with the runner down too; `modeOf` puts
   * both together.
   */
  readonly stop?: {
    readonly mode: 'armed' | 'paused' | 'locked';
    readonly reason: string | null;
  };
  /** How soon a person may answer, from `config.json`; absent: `defaultPace`. */
  readonly pace?: Pace;
  /** The app's settings; absent: the shell has none. */
  readonly settings?: SettingsView;
  /** A runner can be started with `startRunner`. */
  readonly canStartRunner?: boolean;
}

export interface Answer {
  readonly id: string;
  readonly askDigest: string;
  readonly decision: 'allow-once' | 'allow-always' | 'deny';
  readonly remember?: Remember;
  readonly note?: string;
}

/** Each call that a page can make: its argument and its answer. */
export interface BridgeCalls {
  answer: { args: Answer; result: { readonly accepted: boolean } };
  /** At most 200 answers at once, in order. An answer that comes too late is not accepted. */
  answerMany: {
    args: { readonly answers: readonly Answer[] };
    result: { readonly accepted: readonly boolean[] };
  };
  /**
   * The policy as the file is now. To a page that names a version it has, only what changed since
   * comes back where that is shorter.
   */
  policy: {
    args: { readonly have?: string };
    result:
      PolicyView | { readonly hash: string; readonly from: string; readonly patch: PolicyPatch };
  };
  savePolicy: { args: PolicyEdit; result: { readonly hash: string } };
  testCommand: {
    args: {
      readonly agent: string;
      readonly command: string;
      readonly cwd: string;
      readonly draft?: PolicyEdit;
    };
    result: CheckBody;
  };
  history: {
    args: {
      readonly search?: string;
      readonly agent?: string;
      readonly decision?: 'allow' | 'deny';
      readonly offset: number;
      readonly limit: number;
    };
    result: { readonly total: number; readonly entries: readonly HistoryEntry[] };
  };
  health: { args: Record<string, never>; result: { readonly checks: readonly HealthCheck[] } };
  mend: { args: { readonly id: string }; result: { readonly checks: readonly HealthCheck[] } };
  lockout: {
    args: { readonly reason: string };
    result: {
      readonly stopped: number;
      readonly keysRotated: number;
      /** False: no runner answered. Everything is locked anyway, and the host did the rest. */
      readonly runnerReached?: boolean;
      /** Whether the approvals token is a new one. */
      readonly tokenRotated?: boolean;
      /** Asks that were taken back. */
      readonly withdrawn?: number;
      /** Processes that could not be stopped. */
      readonly left?: number;
      /** Sentences about what could not be done. Everything is locked anyway. */
      readonly problems?: readonly string[];
    };
  };
  pause: { args: { readonly reason: string }; result: Record<string, never> };
  resume: { args: Record<string, never>; result: Record<string, never> };
  unlock: { args: { readonly passphrase: string }; result: Record<string, never> };
  settings: { args: Record<string, never>; result: SettingsView };
  /** Saves what changed; everything else stays as it is. */
  changeSettings: {
    args: { readonly choice: Partial<ShellSettings> };
    result: SettingsView;
  };
  /** Reads a rule file of another program. Nothing is saved: that is for `savePolicy`. */
  importRules: {
    args: {
      /** Absent: recognised from the text. */
      readonly format?: ImportFormat;
      readonly text: string;
      /** The agent that gets the rules; absent: as the file says, else the agent that wrote the file. */
      readonly agent?: string;
      /** Absolute: the rules hold in this folder and below; for the files of a project. */
      readonly folder?: string;
      /** Duplicates are found in this draft; absent: in the saved policy. */
      readonly draft?: PolicyEdit;
    };
    result: ImportPreview;
  };
  /** Which rule decides about a command, and what would have to be added. */
  simulate: {
    args: {
      readonly agent: string;
      readonly command: string;
      readonly cwd: string;
      readonly draft?: PolicyEdit;
    };
    result: Simulation;
  };
  /** What these rules would have done to the newest commands of the history. */
  effectOf: {
    args: {
      readonly agent: string;
      readonly rules: readonly Omit<Rule, 'id'>[];
      readonly draft?: PolicyEdit;
    };
    result: SimulatedEffect;
  };
  /** "Make a rule from this": rules to choose from for a command of the history. */
  suggestRule: {
    args: {
      readonly agent: string;
      readonly command: string;
      readonly cwd: string;
      readonly draft?: PolicyEdit;
    };
    result: RuleSuggestion;
  };
  historyStats: {
    args: { readonly days?: number; readonly agent?: string };
    result: HistoryStats;
  };
  guide: { args: Record<string, never>; result: GuideState };
  /** Raises a real ask for a harmless command, so that there is one to answer. */
  tryAsk: { args: Record<string, never>; result: TriedAsk };
  /** Starts the runner, as a service where there is one. Refused while one answers. */
  startRunner: { args: Record<string, never>; result: { readonly how: 'service' | 'app' } };
}

export type BridgeCall = keyof BridgeCalls;

/** The answer to a call: the result, or the refusal whose sentence and hint the page shows. */
export type BridgeResult<C extends BridgeCall> =
  | { readonly ok: true; readonly result: BridgeCalls[C]['result'] }
  | {
      readonly ok: false;
      readonly refusal: Refusal;
      /** With `savePolicy`: which file it is now, when somebody else changed it meanwhile. */
      readonly conflict?: PolicyStatus;
    };

/** The only interface a page sees, in any shell. */
export interface Bridge {
  /** Calls back at once with the latest state if there is one, then at each change. */
  subscribe(listener: (state: AppState) => void): () => void;
  /** Calls back with whether the host is connected. */
  onConnection(listener: (connected: boolean) => void): () => void;
  call<C extends BridgeCall>(name: C, args: BridgeCalls[C]['args']): Promise<BridgeResult<C>>;
}

export type { GrantDuration, HealthCheck, HistoryEntry, HistoryStats };
