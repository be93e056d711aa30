import type { Refusal } from '../../shared/base/index.ts';
import type {
  Ask,
  Device,
  ElevationEntry,
  GrantDuration,
  ModeBounds,
  Passkey,
  PolicyDocument,
  PolicyPatch,
  Reach,
  ReachVerdict,
  RunnerState,
  StarterUpdate,
  WithdrawReason,
} from '../../shared/engine/index.ts';
import type {
  ChangesBody,
  CheckBody,
  GrantEntry,
  HealthCheck,
  HistoryEntry,
  HistoryStats,
  ListedSecret,
  ImportPreview,
  BoxInfo,
  FleetGatewayInfo,
  NodeInfo,
  NodeProblem,
  NodePolicyBody,
  NodesBody,
  PendingAsk,
  RuleSuggestion,
  SimulatedEffect,
  TerminalEnd,
  TerminalOutput,
  Simulation,
  UndoBody,
  WaitingNode,
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
  /** The policy allows something: a set of rules to begin with, or a rule of the person's. */
  'starter',
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

/** An ask that was allowed while it waited, because a rule or a grant covers it by now. */
export interface CoveredAsk {
  readonly id: string;
  readonly agent: string;
  /** Its beginning. */
  readonly command: string;
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

/** A passkey of this home, as a page lists it. */
export type KnownPasskey = Omit<Passkey, 'publicKey' | 'counter'>;

/** A device as a page lists it. */
export type KnownDevice = Omit<Device, 'key' | 'passkey' | 'push'> & {
  /** Whose it is, as its passkey says; absent: the owner's. */
  readonly person?: string;
};

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
  /** Asks that ended because a rule or a grant covers them by now, newest first; absent: none. */
  readonly covered?: readonly CoveredAsk[];
  readonly policy: PolicyStatus;
  /**
   * What the files of lockout and pause say. They hold with the runner down too; `modeOf` puts
   * both together.
   */
  readonly stop?: {
    readonly mode: 'armed' | 'paused' | 'locked';
    readonly reason: string | null;
  };
  /** While everything is locked: how a person gets out; absent while nothing is locked. */
  readonly wayOut?: 'passphrase' | 'terminal';
  /** Oldest first; absent: there are none. */
  readonly passkeys?: readonly KnownPasskey[];
  /** The devices that may connect, oldest first, for pages on the machine itself; absent: none. */
  readonly devices?: readonly KnownDevice[];
  /** Which device this page is on, and how far it was opened; absent: it is on the machine itself. */
  readonly device?: Pick<Device, 'id' | 'name' | 'rights'> & {
    readonly opened: 'locked' | 'passkey';
    /** Whose it is; absent: the owner's, or nobody has shown a passkey yet. */
    readonly person?: string;
  };
  /** A passphrase is set: the first passkey is added with it. */
  readonly hasPassphrase?: boolean;
  /** How soon a person may answer, from `config.json`; absent: `defaultPace`. */
  readonly pace?: Pace;
  /** The app's settings; absent: the shell has none. */
  readonly settings?: SettingsView;
  /** A runner can be started with `startRunner`. */
  readonly canStartRunner?: boolean;
  /** The menu-bar app, whose own windows can use no passkey: `openInBrowser` shows this page where one can. */
  readonly canOpenBrowser?: boolean;
}

/** What a set of rules to begin with would bring to one project. */
export interface StarterPreview {
  /** The real path of the project. */
  readonly folder: string;
  /** The set, after those that come with it. */
  readonly updates: readonly (Pick<StarterUpdate, 'added' | 'changed' | 'removed'> & {
    readonly set: string;
  })[];
  readonly covers: {
    /** What was run in the project, or what a coding agent runs on an ordinary day. */
    readonly from: 'history' | 'sample';
    readonly looked: number;
    readonly covered: number;
    /** What would still be asked about. */
    readonly left: readonly string[];
  };
}

/** What each call yields. */
interface CallResults {
  answer: { readonly accepted: boolean };
  undoAlways: { readonly removed: number };
  answerMany: { readonly accepted: readonly boolean[] };
  /** Only what changed since the version that the page has, where that is shorter. */
  policy:
    PolicyView | { readonly hash: string; readonly from: string; readonly patch: PolicyPatch };
  savePolicy: { readonly hash: string };
  testCommand: CheckBody;
  history: {
    readonly total: number;
    /** A search for words goes on when it is asked for again; `total` is what it has found so far. */
    readonly more?: boolean;
    readonly entries: readonly HistoryEntry[];
    /** Every agent that has rows, whatever the query. */
    readonly agents: readonly string[];
  };
  secrets: { readonly sentence: string; readonly secrets: readonly ListedSecret[] };
  removeSecret: Record<string, never>;
  health: { readonly checks: readonly HealthCheck[] };
  mend: { readonly checks: readonly HealthCheck[] };
  lockout: {
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
  pause: Record<string, never>;
  resume: Record<string, never>;
  unlock: Record<string, never>;
  passkeyNonce: { readonly nonce: string };
  addPasskey: Record<string, never>;
  removePasskey: Record<string, never>;
  handOver: Record<string, never>;
  unlockWithPasskey: Record<string, never>;
  inviteDevice: {
    /** For the device to open; the code is behind its `#`. */
    readonly address: string;
    readonly until: number;
    /** Who signed the page's certificate, where a phone has to be told to trust them first. */
    readonly authority: string | null;
  };
  revokeDevice: Record<string, never>;
  pushKey: { readonly key: string };
  subscribePush: Record<string, never>;
  settings: SettingsView;
  changeSettings: SettingsView;
  importRules: ImportPreview;
  simulate: Simulation;
  modeBounds: ModeBounds;
  reach: { readonly reach: Reach; readonly verdict: ReachVerdict | null };
  effectOf: SimulatedEffect;
  suggestRule: RuleSuggestion;
  historyStats: HistoryStats;
  starterFolders: { readonly folders: readonly string[] };
  starter: StarterPreview;
  addStarter: { readonly rules: number };
  changes: Pick<ChangesBody, 'entries'>;
  takeBack: Omit<UndoBody, 'ok'>;
  grants: { readonly grants: readonly GrantEntry[] };
  endGrant: { readonly ended: boolean };
  nodes: Omit<NodesBody, 'ok'>;
  approveNode: { readonly node: NodeInfo };
  declineNode: Record<string, never>;
  removeNode: { readonly node: NodeInfo };
  nodePolicy: Omit<NodePolicyBody, 'ok'>;
  saveNodePolicy: { readonly hash: string };
  boxes: { readonly boxes: readonly BoxInfo[] };
  boxTail: { readonly lines: readonly string[] };
  attachBox: { readonly terminal: string };
  readTerminal: TerminalOutput;
  typeTerminal: Readonly<Record<string, never>>;
  resizeTerminal: Readonly<Record<string, never>>;
  leaveTerminal: Readonly<Record<string, never>>;
  startBox: Record<string, never>;
  stopBox: { readonly notes: readonly string[] };
  lockBox: { readonly notes: readonly string[] };
  connectable: {
    /** False: this shell cannot do it, and says what to type. */
    readonly possible: boolean;
    readonly hosts: readonly {
      readonly host: string;
      readonly title: string;
      readonly connected: boolean;
    }[];
  };
  /** The diff, empty where nothing would change. */
  connectPreview: { readonly diff: string; readonly digest: string };
  /** What was done, in sentences. */
  connect: { readonly said: readonly string[] };
  guide: GuideState;
  setPassphrase: Record<string, never>;
  tryAsk: TriedAsk;
  startRunner: { readonly how: 'service' | 'app' };
  /** Where the page is, without a secret: a passkey opens it. */
  openInBrowser: { readonly address: string };
}

/** Each call that a page can make: its argument and its answer. */
export type BridgeCalls = {
  readonly [C in keyof CallArgs]: { readonly args: CallArgs[C]; readonly result: CallResults[C] };
};

export type BridgeCall = keyof BridgeCalls;

/** The answer to a call: the result, or the refusal whose sentence and hint the page shows. */
export type BridgeResult<C extends BridgeCall> =
  | { readonly ok: true; readonly result: BridgeCalls[C]['result'] }
  | {
      readonly ok: false;
      readonly refusal: Refusal;
      /** With `savePolicy`: which file it is now, when somebody else changed it meanwhile. Of a node: only that. */
      readonly conflict?: PolicyStatus;
      /** With `savePolicy`: what can hardly be meant, a sentence each; `accepted` saves it all the same. */
      readonly doubts?: readonly string[];
    };

/** The only interface a page sees, in any shell. */
export interface Bridge {
  /** Calls back at once with the latest state if there is one, then at each change. */
  subscribe(listener: (state: AppState) => void): () => void;
  /** Calls back with whether the host is connected. */
  onConnection(listener: (connected: boolean) => void): () => void;
  call<C extends BridgeCall>(name: C, args: BridgeCalls[C]['args']): Promise<BridgeResult<C>>;
}

export type {
  Answer,
  BoxInfo,
  ElevationEntry,
  GrantDuration,
  GrantEntry,
  HealthCheck,
  HistoryEntry,
  HistoryStats,
  ListedSecret,
  FleetGatewayInfo,
  NodeInfo,
  NodeProblem,
  TerminalEnd,
  WaitingNode,
};
