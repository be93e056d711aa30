import type { Refusal } from '../../shared/base/index.ts';
import type {
  Ask,
  GrantDuration,
  PolicyDocument,
  RunnerState,
  WithdrawReason,
} from '../../shared/engine/index.ts';
import type {
  CheckBody,
  HealthCheck,
  HistoryEntry,
  HistoryStats,
  ImportPreview,
  PendingAsk,
  RuleSuggestion,
  SimulatedEffect,
  Simulation,
} from '../../shared/wire/index.ts';
import type { Pace } from './arming.ts';
import type { Answer, CallArgs } from './calls.ts';
import type { SettingsView } from './settings.ts';

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

/** The agent in whose name the guide asks. */
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

/** The policy file as a page may see it: the socket token is never part of it. */
export interface PolicyView {
  readonly hash: string;
  readonly document: PolicyDocument | null;
  /** Null when valid. */
  readonly problem: Refusal | null;
}

/** Everything a page shows. Pushed whole whenever it changes. */
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
  readonly policy: PolicyView;
  /**
   * What the files of lockout and pause say. They hold with the runner down too; `modeOf` puts
   * both together.
   */
  readonly stop?: {
    readonly mode: 'armed' | 'paused' | 'locked';
    readonly reason: string | null;
  };
  /** How fast a person may answer, from `config.json`; absent: `defaultPace`. */
  readonly pace?: Pace;
  /** What the person set about the app; absent: the shell has no settings. */
  readonly settings?: SettingsView;
  /** A runner can be started with `startRunner`. */
  readonly canStartRunner?: boolean;
}

/** What each call yields. */
interface CallResults {
  answer: { readonly accepted: boolean };
  answerMany: { readonly accepted: readonly boolean[] };
  savePolicy: { readonly hash: string };
  testCommand: CheckBody;
  history: { readonly total: number; readonly entries: readonly HistoryEntry[] };
  health: { readonly checks: readonly HealthCheck[] };
  mend: { readonly checks: readonly HealthCheck[] };
  lockout: {
    readonly stopped: number;
    readonly keysRotated: number;
    /** False: no runner answered. Everything is locked all the same, and the host did the rest. */
    readonly runnerReached?: boolean;
    /** Whether the approvals token is a new one. */
    readonly tokenRotated?: boolean;
    /** Asks that were taken back. */
    readonly withdrawn?: number;
    /** Processes that could not be stopped. */
    readonly left?: number;
    /** Sentences about what could not be done. Everything is locked all the same. */
    readonly problems?: readonly string[];
  };
  pause: Record<string, never>;
  resume: Record<string, never>;
  unlock: Record<string, never>;
  settings: SettingsView;
  changeSettings: SettingsView;
  importRules: ImportPreview;
  simulate: Simulation;
  effectOf: SimulatedEffect;
  suggestRule: RuleSuggestion;
  historyStats: HistoryStats;
  guide: GuideState;
  tryAsk: TriedAsk;
  startRunner: { readonly how: 'service' | 'app' };
}

/** Each call that a page can make: its argument and its answer. */
export type BridgeCalls = {
  readonly [C in keyof CallArgs]: { readonly args: CallArgs[C]; readonly result: CallResults[C] };
};

export type BridgeCall = keyof BridgeCalls;

/** A call's answer: the result, or the refusal that a page shows with its sentence and hint. */
export type BridgeResult<C extends BridgeCall> =
  | { readonly ok: true; readonly result: BridgeCalls[C]['result'] }
  | {
      readonly ok: false;
      readonly refusal: Refusal;
      /** With `savePolicy`: the file as it is now, when somebody else changed it meanwhile. */
      readonly conflict?: PolicyView;
    };

/** The one interface a page sees, whatever shell it runs in. */
export interface Bridge {
  /** Calls back at once with the last state if there is one, then at each change. */
  subscribe(listener: (state: AppState) => void): () => void;
  /** Tells whether the connection to the host stands. */
  onConnection(listener: (connected: boolean) => void): () => void;
  call<C extends BridgeCall>(name: C, args: BridgeCalls[C]['args']): Promise<BridgeResult<C>>;
}

export type { Answer, GrantDuration, HealthCheck, HistoryEntry, HistoryStats };
