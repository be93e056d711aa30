/**
 * `config.json`: routing and service settings. Every field is optional in the file; `Config` is
 * what holds once the defaults are filled in. Times are milliseconds, sizes bytes unless said.
 */

export const execHosts = ['sandbox', 'gateway', 'node'] as const;
/** Where commands run: a kernel sandbox, this machine, another runner. */
export type ExecHost = (typeof execHosts)[number];

/** The hosts that exist so far. On any other, every command is refused with `host-unavailable`. */
export const presentHosts: readonly ExecHost[] = ['gateway'];

export const logLevels = ['error', 'warn', 'info'] as const;
/** The least weight of what the runner's log tells. */
export type LogLevel = (typeof logLevels)[number];

/** A second door of a runner that has a user of its own, for the users that the config names. */
export interface SharedSocket {
  /** Absolute; its folder is the runner's own and nobody else may write there. */
  readonly path: string;
  /** The group whose members may knock. */
  readonly gid: number;
}

/** What an agent may claim about itself, and who may speak for it. */
export interface AgentClaim {
  /** Users (by uid) whose processes may act as this agent; absent: only the runner's own. */
  readonly uids?: readonly number[];
  /** Overrides `exec.host` for this agent. */
  readonly host?: ExecHost;
  /** Overrides `exec.node` for this agent. */
  readonly node?: string;
}

export interface UserClaim {
  readonly uid: number;
  /** Agents that this user's processes may act as; `"*"` for any. */
  readonly agents: readonly string[];
}

export interface PrincipalSettings {
  /**
   * Whether the name that an unsigned request gives itself counts. False: such requests get what
   * `"*"` gets. An agent that has a key of its own must sign either way.
   */
  readonly trustClaims: boolean;
}

/** Another rate for programs, by the real path of the executable. */
export interface ProgramLimit {
  /** A glob over the real path; a word without a slash means the file's name. */
  readonly pattern: string;
  readonly perMinute: number;
  readonly burst: number;
}

export interface Limits {
  /** Token bucket per principal: refill per minute, and the most that may come at once. */
  readonly requestsPerMinute: number;
  readonly burst: number;
  /** The same for all principals together, so that new names bring nothing. */
  readonly requestsPerMinuteInAll: number;
  readonly burstInAll: number;
  /** Requests under way at once, per agent and altogether. */
  readonly concurrentPerAgent: number;
  readonly concurrent: number;
  /** Asks that wait for a person at once, per agent and altogether. */
  readonly pendingPerAgent: number;
  readonly pending: number;
  /** Token bucket of the asks of one principal. */
  readonly asksPerMinute: number;
  readonly askBurst: number;
  /** The first that matches counts instead of `requestsPerMinute`. */
  readonly programs: readonly ProgramLimit[];
}

export interface Config {
  readonly version: 1;
  readonly exec: {
    readonly host: ExecHost;
    /** Name or id of the node for host `node`; null when none is bound. */
    readonly node: string | null;
    /** Default and greatest time a command may take. */
    readonly timeoutMs: number;
    readonly maxTimeoutMs: number;
    /** Between SIGTERM and SIGKILL. */
    readonly killGraceMs: number;
    /** Characters of stdout and stderr together in a result; tail kept for events. */
    readonly outputCap: number;
    readonly eventTail: number;
    /** Directories whose programs a bare-name rule trusts; null for the platform's own list. */
    readonly trustedDirectories: readonly string[] | null;
    /** Folders that agents work in: a program below them is one that an agent could change. */
    readonly workspaces: readonly string[];
  };
  readonly principals: PrincipalSettings;
  readonly limits: Limits;
  readonly users: readonly UserClaim[];
  readonly agents: Readonly<Record<string, AgentClaim>>;
  readonly approvals: {
    /** Answer the older one-line frames on the approvals socket. */
    readonly v1: boolean;
    /** How long a person has, where the policy does not say. */
    readonly askTimeoutMs: number;
    /** How long the runner waits for an approver's socket before the fallback decides. */
    readonly connectTimeoutMs: number;
  };
  readonly audit: {
    /** Characters of a command that a row keeps. */
    readonly commandCap: number;
  };
  readonly ui: {
    readonly shell: 'auto' | 'electron' | 'console' | 'terminal';
    /** Delay before "allow" can be pressed. */
    readonly armDelayMs: number;
    /** How long destructive commands must be held. */
    readonly holdMs: number;
    /** Console on loopback: 0 picks a free port. */
    readonly consolePort: number;
    readonly consoleIdleMs: number;
    readonly openBrowser: boolean;
    readonly notifications: boolean;
  };
  readonly lockout: {
    /** Lock out when the screen locks, and when the machine goes to sleep. */
    readonly onScreenLock: boolean;
    readonly onSleep: boolean;
    /** Global hotkey in Electron's notation; null for none. */
    readonly hotkey: string | null;
    /** Pause by itself when no command has run for this long; null for never. */
    readonly pauseAfterIdleMs: number | null;
    /** Pause by itself when one agent was refused this often in a row; null for never. */
    readonly pauseAfterRefusals: number | null;
  };
  /** OpenClaw's Gateway, where the runner is to answer its asks; read when the runner starts. */
  readonly openclaw: {
    readonly url: string;
    /** File with the Gateway's token, 0600; null: the runner does not go there. */
    readonly tokenFile: string | null;
  };
  readonly service: {
    readonly logLevel: LogLevel;
    /** Null: only the runner's own user may come. */
    readonly sharedSocket: SharedSocket | null;
  };
}

/** What holds when `config.json` says nothing. */
export const defaultConfig: Config = {
  version: 1,
  exec: {
    host: 'gateway',
    node: null,
    timeoutMs: 30 * 60_000,
    maxTimeoutMs: 24 * 60 * 60_000,
    killGraceMs: 5_000,
    outputCap: 200_000,
    eventTail: 20_000,
    trustedDirectories: null,
    workspaces: [],
  },
  principals: { trustClaims: false },
  limits: {
    requestsPerMinute: 60,
    burst: 30,
    requestsPerMinuteInAll: 600,
    burstInAll: 300,
    concurrentPerAgent: 8,
    concurrent: 32,
    pendingPerAgent: 16,
    pending: 64,
    asksPerMinute: 30,
    askBurst: 20,
    programs: [],
  },
  users: [],
  agents: {},
  approvals: { v1: true, askTimeoutMs: 120_000, connectTimeoutMs: 1_500 },
  audit: { commandCap: 4_000 },
  ui: {
    shell: 'auto',
    armDelayMs: 600,
    holdMs: 1_500,
    consolePort: 0,
    consoleIdleMs: 12 * 60 * 60_000,
    openBrowser: true,
    notifications: true,
  },
  lockout: {
    onScreenLock: false,
    onSleep: false,
    hotkey: null,
    pauseAfterIdleMs: null,
    pauseAfterRefusals: 20,
  },
  openclaw: { url: 'ws://127.0.0.1:18789', tokenFile: null },
  service: { logLevel: 'info', sharedSocket: null },
};
