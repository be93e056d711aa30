import { fileHead, s } from '../base/index.ts';
import type { Static, StaticFields } from '../base/index.ts';
import { advisorFields } from './advisors.ts';
import {
  agentClaim,
  agentName,
  auditFields,
  between,
  channels,
  day,
  execHosts,
  furtherHosts,
  gatewayFields,
  hostName,
  listedAgent,
  name,
  nodesFields,
  path,
  sandbox,
  size,
  toolsExec,
  trustLevel,
  uid,
  userClaim,
} from './config-fields.ts';
import type { AgentClaim, UserClaim } from './config-fields.ts';
import { boxesFields } from './boxes.ts';
import type { Managed } from './managed.ts';
import type { TrustedProject } from './projects.ts';
import { defaultEgress, egressFields } from './egress/config.ts';
import { askModes, securityModes } from './policy/types.ts';

/**
 * `config.json`: routing and service settings. Every field is optional in the file; `Config` is
 * what holds once the defaults are filled in. Times are milliseconds, sizes bytes unless said.
 */

export const logLevels = ['error', 'warn', 'info'] as const;
/** The least weight of what the runner's log tells. */
export type LogLevel = (typeof logLevels)[number];

/** A second door of a runner that has a user of its own, for the users that the config names. */
const sharedSocket = s.file({
  /** Absolute; its folder is the runner's own and nobody else may write there. */
  path: s.string({ pattern: '^/[^\\u0000]*$', maxLength: 103 }),
  /** The group whose members may knock. */
  gid: uid,
});
export type SharedSocket = Static<typeof sharedSocket>;

/** Another rate for programs, by the real path of the executable. */
const programLimit = s.file({
  /** A glob over the real path; a word without a slash means the file's name. */
  pattern: s.string({ minLength: 1, maxLength: 1_000 }),
  perMinute: between(1, 100_000),
  burst: between(1, 10_000),
});
export type ProgramLimit = Static<typeof programLimit>;

/** A folder that agents without any other way share with this machine. */
const sharedFolder = s.file({
  /** Absolute, and no link itself. */
  path: s.string({ pattern: '^/[^\\u0000]*$', maxLength: 4_096 }),
  /** Agents (with keys) that may ask through it; absent: each that has one. */
  agents: s.optional(s.array(name, { maxItems: 100 })),
  /** Users, beside the runner's own, whose files count there: as whom a sandbox writes. */
  owners: s.optional(s.array(uid, { maxItems: 100 })),
});
export type SharedFolderConfig = Static<typeof sharedFolder>;

/** The sections whose fields can each be left out. */
const sections = {
  exec: {
    host: s.oneOf(execHosts),
    /** Name or id of the node for host `node`; null when none is bound. */
    node: s.nullable(name),
    /** The loosest that `exec-approvals.json` may make it; null: what stands there holds. */
    security: s.nullable(s.oneOf(securityModes)),
    ask: s.nullable(s.oneOf(askModes)),
    hosts: furtherHosts,
    /** How long at most a session is raised by a person's yes. */
    elevatedMs: between(60_000, 8 * 3_600_000),
    /** Default and greatest time a command may take. */
    timeoutMs: between(1_000, day),
    maxTimeoutMs: between(1_000, day),
    /** Between SIGTERM and SIGKILL. */
    killGraceMs: between(0, 60_000),
    /** Characters of stdout and stderr together in a result; tail kept for events. */
    outputCap: between(1_000, 10_000_000),
    eventTail: between(100, 1_000_000),
    /** Directories whose programs a bare-name rule trusts; null for the platform's own list. */
    trustedDirectories: s.nullable(s.array(path, { maxItems: 100 })),
    /** Whether the kernel holds what rules allow here to what the analysis saw it do. */
    enforce: s.oneOf(['on', 'off']),
    /** Folders that agents work in: a program below them is one that an agent could change. */
    workspaces: s.array(path, { maxItems: 1_000 }),
  },
  /** What stands here counts where `exec` does not say it. */
  tools: { exec: toolsExec },
  sandbox,
  boxes: boxesFields,
  egress: egressFields,
  trust: {
    /** How far words of a channel are trusted at most, whoever they come from. */
    ceilings: s.record(trustLevel, { maxProperties: 1_000, names: channels }),
  },
  principals: {
    /**
     * Whether the name that an unsigned request gives itself counts. False: such requests get what
     * `"*"` gets. An agent that has a key of its own must sign either way.
     */
    trustClaims: s.boolean(),
  },
  limits: {
    /** Token bucket per principal: refill per minute, and the most that may come at once. */
    requestsPerMinute: between(1, 100_000),
    burst: between(1, 10_000),
    /** The same for all principals together, so that new names bring nothing. */
    requestsPerMinuteInAll: between(1, 100_000),
    burstInAll: between(1, 10_000),
    /** Requests under way at once, per agent and altogether. */
    concurrentPerAgent: between(1, 1_000),
    concurrent: between(1, 10_000),
    /** Asks that wait for a person at once, per agent and altogether. */
    pendingPerAgent: between(1, 10_000),
    pending: between(1, 10_000),
    /** Token bucket of the asks of one principal. */
    asksPerMinute: between(1, 10_000),
    askBurst: between(1, 1_000),
    /** The first that matches counts instead of `requestsPerMinute`. */
    programs: s.array(programLimit, { maxItems: 100 }),
  },
  approvals: {
    /** Answer the older one-line frames on the approvals socket. */
    v1: s.boolean(),
    /** How long a person has, where the policy does not say. */
    askTimeoutMs: between(1_000, day),
    /** How long the runner waits for an approver's socket before the fallback decides. */
    connectTimeoutMs: between(50, 60_000),
  },
  advisors: advisorFields,
  /** What commands change in a workspace is kept from before, so that it can be taken back. */
  undo: {
    /** For commands in the sandbox, for those on this machine too, or for none. */
    on: s.oneOf(['sandbox', 'all', 'off']),
    /** Room for all that is kept; the oldest goes first. */
    maxBytes: size,
    /** The largest file that is kept. */
    fileBytes: size,
    /** Most files and folders in a workspace. */
    files: between(100, 5_000_000),
    /** How long it is kept, in days. */
    keepDays: between(1, 3_650),
  },
  audit: auditFields,
  ui: {
    shell: s.oneOf(['auto', 'electron', 'console', 'terminal']),
    /** Delay before "allow" can be pressed. */
    armDelayMs: between(0, 10_000),
    /** How long destructive commands must be held. */
    holdMs: between(500, 10_000),
    /** Console on loopback: 0 picks a free port. */
    consolePort: between(0, 65_535),
    consoleIdleMs: between(10_000, day),
    /** Under which name, and where, `--listen` serves the page to devices; passkeys are made for the name. */
    phoneHost: s.nullable(hostName),
    phonePort: between(1, 65_535),
    /** Absolute paths of a certificate (with its chain) and its key, in PEM. */
    phoneCertificate: s.nullable(path),
    phoneKey: s.nullable(path),
    openBrowser: s.boolean(),
    notifications: s.boolean(),
  },
  lockout: {
    /** Lock out when the screen locks, and when the machine goes to sleep. */
    onScreenLock: s.boolean(),
    onSleep: s.boolean(),
    /** Global hotkey in Electron's notation; null for none. */
    hotkey: s.nullable(s.string({ minLength: 1, maxLength: 64 })),
    /** Pause by itself when no command has run for this long; null for never. */
    pauseAfterIdleMs: s.nullable(between(10_000, 30 * day)),
    /** Pause by itself when one agent was refused this often in a row; null for never. */
    pauseAfterRefusals: s.nullable(between(2, 10_000)),
  },
  /** Agents that share only a folder with this machine. */
  rpc: {
    folders: s.array(sharedFolder, { maxItems: 100 }),
    /** Requests of all folders under way at once; the others wait in their order. */
    concurrent: between(1, 16),
    /** Default and greatest time a command that came through a folder may take. */
    timeoutMs: between(1_000, day),
    maxTimeoutMs: between(1_000, day),
    /** What is older when its turn comes is refused. */
    staleMs: between(10_000, 3_600_000),
    /** Requests of one agent that wait for their turn. */
    waiting: between(1, 10_000),
    /** How long an answer stays. */
    keepMs: between(60_000, day),
    /** How often folders are looked at that tell of no change. */
    pollMs: between(100, 60_000),
    /** After so many refusals of one request in a row a client pauses by itself; null for never. */
    pauseAfterRefusals: s.nullable(between(2, 1_000)),
  },
  nodes: nodesFields,
  gateway: gatewayFields,
  /** OpenClaw's Gateway, where the runner is to answer its asks; read when the runner starts. */
  openclaw: {
    url: s.string({ pattern: '^wss?://[^\\u0000\\s]+$', maxLength: 2_048 }),
    /** File with the Gateway's token, 0600; null: the runner goes there only where it is paired. */
    tokenFile: s.nullable(s.string({ pattern: '^/[^\\u0000]*$', maxLength: 4_096 })),
  },
  service: {
    logLevel: s.oneOf(logLevels),
    /** Null: only the runner's own user may come. */
    sharedSocket: s.nullable(sharedSocket),
  },
};
type Sections = typeof sections;

/** `config.json` as it may stand there: everything but the version may be left out. */
export const configFileSchema = s.file({
  ...fileHead,
  exec: s.optional(s.file(s.partial(sections.exec))),
  tools: s.optional(s.file(s.partial(sections.tools))),
  sandbox: s.optional(s.file(s.partial(sections.sandbox))),
  boxes: s.optional(s.file(s.partial(sections.boxes))),
  egress: s.optional(s.file(s.partial(sections.egress))),
  trust: s.optional(s.file(s.partial(sections.trust))),
  principals: s.optional(s.file(s.partial(sections.principals))),
  limits: s.optional(s.file(s.partial(sections.limits))),
  users: s.optional(s.array(userClaim, { maxItems: 1_000 })),
  agents: s.optional(
    s.record(s.union(agentClaim, s.array(listedAgent, { maxItems: 1_000 })), {
      maxProperties: 1_000,
      names: agentName,
    }),
  ),
  approvals: s.optional(s.file(s.partial(sections.approvals))),
  advisors: s.optional(s.file(s.partial(sections.advisors))),
  undo: s.optional(s.file(s.partial(sections.undo))),
  audit: s.optional(s.file(s.partial(sections.audit))),
  ui: s.optional(s.file(s.partial(sections.ui))),
  lockout: s.optional(s.file(s.partial(sections.lockout))),
  rpc: s.optional(s.file(s.partial(sections.rpc))),
  nodes: s.optional(s.file(s.partial(sections.nodes))),
  gateway: s.optional(s.file(s.partial(sections.gateway))),
  openclaw: s.optional(s.file(s.partial(sections.openclaw))),
  service: s.optional(s.file(s.partial(sections.service))),
});
export type ConfigFile = Static<typeof configFileSchema>;

/** What holds: every field of every section. */
export type Config = { readonly [K in keyof Sections]: StaticFields<Sections[K]> } & {
  readonly version: 1;
  readonly users: readonly UserClaim[];
  readonly agents: Readonly<Record<string, AgentClaim>>;
  /** What the machine's administrator bounds all of it by; in no file of the person's. */
  readonly managed?: readonly Managed[];
  /** What projects bound what is done in them by, as far as the person trusted it. */
  readonly projects?: readonly TrustedProject[];
};

const files = new WeakMap<object, ConfigFile>();

/** Keeps what the file itself said beside what was made of it. */
export function rememberFile(config: Config, file: ConfigFile): void {
  files.set(config.exec, file);
}

/** What stood in the file that these settings were made of; null where they were made otherwise. */
export function fileOf({ exec }: Pick<Config, 'exec'>): ConfigFile | null {
  return files.get(exec) ?? null;
}

/** What holds when `config.json` says nothing. */
export const defaultConfig: Config = {
  version: 1,
  exec: {
    host: 'gateway',
    node: null,
    security: null,
    ask: null,
    hosts: [],
    elevatedMs: 15 * 60_000,
    timeoutMs: 30 * 60_000,
    maxTimeoutMs: 24 * 60 * 60_000,
    killGraceMs: 5_000,
    outputCap: 200_000,
    eventTail: 20_000,
    trustedDirectories: null,
    enforce: 'on',
    workspaces: [],
  },
  tools: { exec: {} },
  sandbox: {
    network: 'none',
    least: 'bubblewrap',
    image: null,
    memory: '2G',
    processes: 512,
    cpuSeconds: null,
    temporary: '512M',
    readOnly: [],
    readWrite: [],
    readOnlyWorkspace: false,
    environment: {},
  },
  boxes: { templates: {} },
  egress: defaultEgress,
  trust: { ceilings: {} },
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
  advisors: { programs: {}, atOnce: 2 },
  undo: { on: 'sandbox', maxBytes: '5G', fileBytes: '20M', files: 200_000, keepDays: 14 },
  audit: {
    commandCap: 4_000,
    journald: false,
    syslog: null,
    syslogCa: null,
    otlpLogs: null,
    otlpMetrics: null,
    otlpTokenFile: null,
    behind: 100_000,
  },
  ui: {
    shell: 'auto',
    armDelayMs: 600,
    holdMs: 1_500,
    consolePort: 0,
    consoleIdleMs: 12 * 60 * 60_000,
    phoneHost: null,
    phonePort: 7_443,
    phoneCertificate: null,
    phoneKey: null,
    openBrowser: true,
    notifications: true,
  },
  lockout: {
    onScreenLock: true,
    onSleep: false,
    hotkey: null,
    pauseAfterIdleMs: null,
    pauseAfterRefusals: 20,
  },
  rpc: {
    folders: [],
    concurrent: 1,
    timeoutMs: 30_000,
    maxTimeoutMs: 5 * 60_000,
    staleMs: 5 * 60_000,
    waiting: 256,
    keepMs: 10 * 60_000,
    pollMs: 1_000,
    pauseAfterRefusals: 5,
  },
  nodes: { listen: null, ssh: [] },
  gateway: { policy: 'none', asks: false },
  openclaw: { url: 'ws://127.0.0.1:18789', tokenFile: null },
  service: { logLevel: 'info', sharedSocket: null },
};

/** A size in bytes. Only for text that the schema has let through. */
export function bytesOf(written: string): number {
  const unit = { K: 1024, M: 1024 ** 2, G: 1024 ** 3 }[written.at(-1) ?? ''] ?? 1;
  return Number.parseInt(written, 10) * unit;
}
