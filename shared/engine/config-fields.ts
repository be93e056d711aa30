import { s } from '../base/index.ts';
import type { Static, StaticFields } from '../base/index.ts';
import { advisedSchema } from './advisors.ts';
import { egressFields } from './egress/config.ts';
import { askModes, securityModes } from './policy/types.ts';
import { trustLevels } from './trust/levels.ts';

/** Fields of `config.json` that stand there for all, for one agent or for one person. */

export const between = (minimum: number, maximum: number) => s.integer({ minimum, maximum });

export const execHosts = ['sandbox', 'gateway', 'node', 'auto'] as const;
/** Where commands run: a kernel sandbox, this machine, another runner, or as each one needs. */
export type ExecHost = (typeof execHosts)[number];

/** The hosts that exist so far. On any other, every command is refused with `host-unavailable`. */
export const presentHosts: readonly ExecHost[] = ['gateway', 'sandbox', 'auto'];

export const name = s.string({ pattern: '^[A-Za-z0-9][A-Za-z0-9._:@/-]{0,127}$' });
export const agentName = s.union(name, s.literal('*'));
export const path = s.string({ pattern: '^(?:/|~/)[^\\u0000]*$', maxLength: 4_096 });
/** A name of the DNS with a dot in it, in small letters: what a passkey can be made for. */
export const hostName = s.string({
  pattern:
    '^(?=.{3,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$',
});
export const uid = s.integer({ minimum: 0, maximum: 4_294_967_294 });
export const day = 86_400_000;

/** Bytes, as people write them: `512M`, `2G`. */
export const size = s.string({ pattern: '^[1-9][0-9]{0,11}[KMG]?$' });

export const networks = ['none', 'restricted', 'full'] as const;

/** What may build a sandbox at least, the better first: a box of its own, or whatever there is. */
const leastRungs = ['box', 'bubblewrap'] as const;
/** What builds a sandbox. On macOS: a virtual machine, or a profile in the person's own file system. */
export type Rung = (typeof leastRungs)[number] | 'container' | 'seatbelt';

/** What commands get on the host `sandbox`; `docs/sandbox.md` says what each field is for. */
export const sandbox = {
  /** `full` is this machine's own network, and all that listens on it; `restricted` what `egress` allows. */
  network: s.oneOf(networks),
  /** The least that may build it: our own launcher, or bubblewrap where that is kept from us. */
  least: s.oneOf(leastRungs),
  /** On macOS: the image of the virtual machine that each command gets; null for a Seatbelt profile. */
  image: s.nullable(s.string({ pattern: '^[a-z0-9][A-Za-z0-9._/:@-]{0,254}$' })),
  /** Most memory of a command's processes. */
  memory: size,
  /** Most processes at once. */
  processes: between(1, 1_000_000),
  /** Most processor time of one process, in seconds; null for no limit. */
  cpuSeconds: s.nullable(between(1, 86_400)),
  /** Size of /tmp, and of what is written into the home folder there. */
  temporary: size,
  /** Further paths that can be read there, and read and written. */
  readOnly: s.array(path, { maxItems: 100 }),
  readWrite: s.array(path, { maxItems: 100 }),
  readOnlyWorkspace: s.boolean(),
  /** Variables set for every command there. */
  environment: s.record(s.string({ maxLength: 32_768 }), {
    maxProperties: 200,
    names: s.string({ pattern: '^[A-Za-z_][A-Za-z0-9_]{0,127}$' }),
  }),
};
export type SandboxConfig = StaticFields<typeof sandbox>;

/** The fields that a request may tighten for itself. */
export const sandboxLimits = {
  network: sandbox.network,
  least: sandbox.least,
  memory: sandbox.memory,
  processes: sandbox.processes,
  cpuSeconds: s.integer({ minimum: 1, maximum: 86_400 }),
  temporary: sandbox.temporary,
  readOnlyWorkspace: s.literal(true),
};

export const trustLevel = s.oneOf(trustLevels);
/** Where words come from: `signal:+4912345`, `terminal:default`, `cron:nightly`. */
export const channelName = s.string({ pattern: '^[a-z][a-z0-9_-]{0,31}:[!-)+-~]{1,200}$' });
/** A channel, or the beginning of some with a star behind it. */
export const channels = s.string({ pattern: '^[a-z][a-z0-9_-]{0,31}:[!-)+-~]{0,200}\\*?$' });

/** `tools.exec`: where commands run, by the names that OpenClaw has for it. */
export const toolsExec = s.file({
  host: s.optional(s.oneOf(execHosts)),
  node: s.optional(name),
  security: s.optional(s.oneOf(securityModes)),
  ask: s.optional(s.oneOf(askModes)),
});

/** An entry of `agents.list`: an agent by its id, as OpenClaw writes it. */
export const listedAgent = s.file({
  id: name,
  tools: s.optional(s.file({ exec: s.optional(toolsExec) })),
});
/** Hosts that a request may name beside the one that is set. */
export const furtherHosts = s.array(s.oneOf(['sandbox', 'gateway', 'node']), { maxItems: 3 });

/** What an agent may claim about itself, and who may speak for it. */
export const agentClaim = s.file({
  /** Users (by uid) whose processes may act as this agent; absent: only the runner's own. */
  uids: s.optional(s.array(uid, { maxItems: 1_000 })),
  /** Overrides `exec.host` for this agent. */
  host: s.optional(s.oneOf(execHosts)),
  /** Overrides `exec.node` for this agent. */
  node: s.optional(name),
  /** Override `exec.security`, `exec.ask` and `exec.hosts` for this agent. */
  security: s.optional(s.oneOf(securityModes)),
  ask: s.optional(s.oneOf(askModes)),
  hosts: s.optional(furtherHosts),
  /** Overrides fields of `sandbox` for this agent. */
  sandbox: s.optional(s.file(s.partial(sandbox))),
  /** Overrides fields of `egress` for this agent. */
  egress: s.optional(s.file(s.partial(egressFields))),
  /** How far what this agent asks for is trusted at most. */
  trust: s.optional(trustLevel),
  advisor: s.optional(advisedSchema),
  /** It passes on what came by these channels, and speaks for no others. */
  channels: s.optional(s.array(channels, { maxItems: 100 })),
});
export type AgentClaim = Static<typeof agentClaim>;

/** A user of the machine, by `uid`; somebody who is trusted so far, by `name`; or both. */
export const userClaim = s.file({
  uid: s.optional(uid),
  /** Agents that this user's processes may act as; `"*"` for any. */
  agents: s.optional(s.array(agentName, { maxItems: 1_000 })),
  name: s.optional(name),
  trust: s.optional(trustLevel),
  /** Channels that this is the user of. */
  match: s.optional(s.array(channels, { maxItems: 100 })),
  /** Overrides fields of `sandbox` for this user. */
  sandbox: s.optional(s.file(s.partial(sandbox))),
});
export type UserClaim = Static<typeof userClaim>;

const otlpAddress = s.nullable(
  s.string({
    pattern:
      '^(?:https://[A-Za-z0-9.:\\[\\]-]+|http://(?:127\\.0\\.0\\.1|localhost|\\[::1\\])(?::[0-9]{1,5})?)/[!-?A-~]*$',
    maxLength: 2_048,
  }),
);

/** `audit`: the record, and where it goes besides. */
export const auditFields = {
  /** Characters of a command that a row keeps. */
  commandCap: between(100, 100_000),
  /** Rows go to the journal of this machine as well. */
  journald: s.boolean(),
  /** Rows go to a syslog receiver as well: `unix:PATH`, `udp://`, `tcp://` or `tls://HOST:PORT`. */
  syslog: s.nullable(
    s.string({
      pattern: '^(?:unix:/[^\\u0000]{1,106}|(?:udp|tcp|tls)://[A-Za-z0-9.:\\[\\]-]+:[0-9]{1,5})$',
      maxLength: 300,
    }),
  ),
  /** File with the certificates that a `tls://` receiver is known by; null: those that Node has. */
  syslogCa: s.nullable(s.string({ pattern: '^/[^\\u0000]*$', maxLength: 4_096 })),
  /** Rows go as log records to this address of an OTLP receiver, by HTTP; plain only on this machine. */
  otlpLogs: otlpAddress,
  /** Counts of what happened go to this one. */
  otlpMetrics: otlpAddress,
  /** File with the token that both are shown, 0600. */
  otlpTokenFile: s.nullable(s.string({ pattern: '^/[^\\u0000]*$', maxLength: 4_096 })),
  /** Rows that may wait for a receiver that is away; what is older is left out for it. */
  behind: between(1_000, 10_000_000),
};

/** `nodes`: other machines that are nodes of this runner. */
export const nodesFields = {
  /** `HOST:PORT` where they are listened for; null: nowhere, and no port is opened. */
  listen: s.nullable(
    s.string({
      pattern: '^(?:\\[[0-9A-Fa-f:.]{2,45}\\]|[A-Za-z0-9][A-Za-z0-9.-]{0,252}):[0-9]{1,5}$',
      maxLength: 262,
    }),
  ),
  /** Nodes to which the runner connects by the system's `ssh`: `HOST` or `USER@HOST`, as ssh knows them. */
  ssh: s.array(
    s.string({
      pattern: '^(?:[A-Za-z0-9_][A-Za-z0-9_.-]*@)?[A-Za-z0-9][A-Za-z0-9_.-]*$',
      maxLength: 64,
    }),
    { maxItems: 50 },
  ),
};

/** `gateway`: what the gateway that this machine is a node of may do here, beyond asking for runs. */
export const gatewayFields = {
  /** The policy of this machine: nothing, read it, or edit it, too, as this machine's own person could. */
  policy: s.oneOf(['none', 'read', 'edit']),
  /** Whether asks about what it passes on are shown there, too, and may be answered there, once each. */
  asks: s.boolean(),
};
