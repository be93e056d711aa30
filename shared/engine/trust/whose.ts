import type { Config } from '../config.ts';
import type { SandboxConfig, UserClaim } from '../config-fields.ts';
import { abilitiesOf, leastTrusted, memoryStores } from './levels.ts';
import type { Abilities, MemoryStore, TrustLevel } from './levels.ts';
import type { SandboxOverrides } from './overrides.ts';

/** What a request says of itself. Each of these can lower its trust, and none can raise it. */
export interface TrustClaims {
  /** Name of one of `users`. */
  readonly user?: string;
  /** Where the words came from: `signal:+4912345`, `terminal:default`, `cron:nightly`. */
  readonly channel?: string;
  /** Others read along, or write, there. */
  readonly group?: boolean;
}

/** The same, with the fields of `sandbox` that a request wants to be held to. */
export interface RequestClaims extends TrustClaims {
  readonly sandbox?: Partial<SandboxConfig>;
}

/** Who asks, by what proves it and by what is only said. */
export interface Caller {
  /** The kernel's word. */
  readonly uid: number;
  /** The runner's own user. */
  readonly ownUid: number;
  /** Whose policy holds; `*` for a name that does not count. */
  readonly agent: string;
  /** A name that was given and does not count. */
  readonly claimed: string | null;
  /** A key proves the agent's name. */
  readonly signed: boolean;
  readonly claims: RequestClaims;
}

/** One thing that has a say in it. */
interface TrustReason {
  readonly level: TrustLevel;
  readonly why: string;
}

/** As whom a request counts, and why. */
export interface Trust {
  readonly level: TrustLevel;
  /** Names of the users it is taken for. */
  readonly users: readonly string[];
  readonly channel: string | null;
  /** Everything that has a say; the least trusted holds. */
  readonly reasons: readonly TrustReason[];
  readonly overrides: SandboxOverrides;
  readonly caller: Caller;
}

/** What of `config.json` this depends on. */
type TrustConfig = Pick<Config, 'users' | 'agents' | 'trust' | 'exec'>;

const terminal = 'terminal:default';

/**
 * As whom a request counts: the least trusted of what the kernel and keys prove, what the request
 * claims, and the ceilings of channel and agent. Only the kernel's word for the user and the key of
 * an agent that is bound to its channels can stand for more than a terminal does.
 */
export function trustOf(config: TrustConfig, caller: Caller): Trust {
  const { claims } = caller;
  const bound = boundTo(config, caller);
  const channel = claims.channel ?? soleOf(bound);
  const isBound = bound !== null && channel !== null && bound.some((one) => fits(one, channel));
  const isProvenChannel = isBound && caller.signed && caller.uid === caller.ownUid;
  const proven =
    isProvenChannel && channel !== null
      ? ofChannel(config, caller, channel)
      : provenBy(config, caller);
  const said = [
    ...(claims.channel === undefined || isProvenChannel
      ? []
      : [ofChannel(config, caller, claims.channel)]),
    ...(claims.user === undefined ? [] : [ofName(config, claims.user)]),
  ];
  const where = channel ?? (caller.uid === caller.ownUid ? terminal : null);
  const reasons = [
    proven.reason,
    ...said.map(({ reason }) => reason),
    ...(bound === null || isBound ? [] : [unbound(caller, bound)]),
    ...ceilings(config, caller, where),
  ];
  const entries = [proven, ...said].flatMap(({ users }) => users);
  return {
    level: leastTrusted(reasons.map(({ level }) => level)),
    users: [...new Set(entries.flatMap(({ name }) => name ?? []))],
    channel: where,
    reasons,
    overrides: {
      given: proven.users.flatMap(({ sandbox }) => sandbox ?? []),
      tighter: [
        ...said.flatMap(({ users }) => users.flatMap(({ sandbox }) => sandbox ?? [])),
        ...(claims.sandbox === undefined ? [] : [claims.sandbox]),
      ],
    },
    caller,
  };
}

/** As whom a request counts, why, and what that means, as it is told. */
export interface ToldTrust extends Pick<Trust, 'level' | 'users' | 'channel' | 'reasons'> {
  /** What it may have done at most. */
  readonly may: Abilities;
  /** Memories that an agent may open for it. Interlock keeps none. */
  readonly memory: readonly MemoryStore[];
}

/** Trust as it is told, without who asked. */
export function toldTrust({ level, users, channel, reasons }: Trust): ToldTrust {
  return { level, users, channel, reasons, may: abilitiesOf(level), memory: memoryStores(level) };
}

/** Somebody says something of trust in the settings; until then nothing is held to a level. */
export function trustIsSet({ users }: Pick<Config, 'users'>): boolean {
  return users.some(({ trust }) => trust !== undefined);
}

/** Whether commands of this agent run in the sandbox at all, or of any where none is named. */
export function sandboxIsOn(
  { exec, agents }: Pick<Config, 'exec' | 'agents'>,
  agent: string,
): boolean {
  const own = Object.hasOwn(agents, agent) ? agents[agent]?.host : undefined;
  const host = own ?? exec.host;
  return host !== 'gateway' && host !== 'node';
}

interface Found {
  readonly reason: TrustReason;
  readonly users: readonly UserClaim[];
}

/** What the kernel says of the user, where no key binds the agent to a channel. */
function provenBy(config: TrustConfig, caller: Caller): Found {
  if (caller.uid === caller.ownUid) return ofChannel(config, caller, terminal);
  const users = config.users.filter(({ uid }) => uid === caller.uid);
  const levels = users.flatMap(({ trust }) => trust ?? []);
  const who = `User ${String(caller.uid)}`;
  if (levels.length > 0) {
    const level = leastTrusted(levels);
    return { users, reason: { level, why: `${who} is ${namesOf(users)}, ${level}.` } };
  }
  return trustIsSet(config)
    ? { users, reason: { level: 'public', why: `${who} has no "trust" in config.json.` } }
    : { users, reason: { level: 'owner', why: `${who} may ask, and no user has a level.` } };
}

function ofChannel(config: TrustConfig, caller: Caller, channel: string): Found {
  const users = config.users.filter(({ match }) => match?.some((one) => fits(one, channel)));
  const levels = users.flatMap(({ trust }) => trust ?? []);
  if (levels.length > 0) {
    const level = leastTrusted(levels);
    return { users, reason: { level, why: `${channel} is ${namesOf(users)}, ${level}.` } };
  }
  return { users: [], reason: unmatched(config, caller, channel) };
}

/** The terminal is its owner's; what comes from anywhere else is a stranger's. */
function unmatched(config: TrustConfig, caller: Caller, channel: string): TrustReason {
  if (!channel.startsWith('terminal:'))
    return { level: 'public', why: `${channel} matches no user.` };
  if (!trustIsSet(config))
    return { level: 'owner', why: `${channel} matches no user, and no user has a level.` };
  return sandboxIsOn(config, caller.claimed ?? caller.agent)
    ? { level: 'owner', why: `${channel} matches no user, and the sandbox is on.` }
    : { level: 'public', why: `${channel} matches no user, and the sandbox is off.` };
}

function ofName({ users }: TrustConfig, name: string): Found {
  const found = users.filter((user) => user.name === name);
  const levels = found.flatMap(({ trust }) => trust ?? []);
  if (levels.length === 0)
    return { users: [], reason: { level: 'public', why: `There is no user "${name}".` } };
  const level = leastTrusted(levels);
  return { users: found, reason: { level, why: `The request says it is for ${name}, ${level}.` } };
}

/** The channels that this agent speaks for and no others; null where it is bound to none. */
function boundTo({ agents }: TrustConfig, { agent, claimed }: Caller): readonly string[] | null {
  const name = claimed ?? agent;
  return (Object.hasOwn(agents, name) ? agents[name]?.channels : undefined) ?? null;
}

/** Who speaks for one channel alone need not name it. */
function soleOf(bound: readonly string[] | null): string | null {
  const [first] = bound ?? [];
  return first !== undefined && bound?.length === 1 && !first.endsWith('*') ? first : null;
}

function unbound({ agent, claimed, claims }: Caller, bound: readonly string[]): TrustReason {
  const named =
    claims.channel === undefined ? 'the request names none' : 'the request names another';
  const why = `The agent "${claimed ?? agent}" speaks for ${bound.join(', ')}, and ${named}.`;
  return { level: 'public', why };
}

function ceilings(
  { trust, agents }: TrustConfig,
  { agent, claimed, claims }: Caller,
  channel: string | null,
): readonly TrustReason[] {
  const ofChannels = Object.entries(trust.ceilings).flatMap(([pattern, level]) =>
    channel !== null && fits(pattern, channel)
      ? [{ level, why: `The ceiling of ${pattern} is ${level}.` }]
      : [],
  );
  const group = {
    level: 'familiar',
    why: 'It comes from a group, whose ceiling is familiar.',
  } as const;
  const names = [...new Set([agent, claimed ?? agent])];
  const ofAgents = names.flatMap((name) => {
    const level = (Object.hasOwn(agents, name) ? agents[name] : agents['*'])?.trust;
    return level === undefined
      ? []
      : [{ level, why: `The ceiling of the agent "${name}" is ${level}.` }];
  });
  return [...ofChannels, ...(claims.group === true ? [group] : []), ...ofAgents];
}

/** A pattern is a channel, or the beginning of one with a star behind it. */
function fits(pattern: string, channel: string): boolean {
  return pattern.endsWith('*') ? channel.startsWith(pattern.slice(0, -1)) : channel === pattern;
}

function namesOf(users: readonly UserClaim[]): string {
  return [...new Set(users.flatMap(({ name }) => name ?? []))].join(' and ') || 'unnamed';
}
