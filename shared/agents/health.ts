import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { refusalOf } from '../base/index.ts';
import { resolvePolicy } from '../engine/index.ts';
import {
  agentIndex,
  agentKeyFile,
  ownUid,
  readConfigFile,
  readPolicyFile,
  readPrincipalFile,
} from '../home/index.ts';
import type { HomePaths } from '../home/index.ts';
import { UnfitText, parseObject } from './edit-settings.ts';
import { findHooks, hookCommand, hookPlan, hookProgramPath } from './hook-command.ts';
import type { FoundHook, HookCommand } from './hook-command.ts';
import type { HookFormat } from './hook-entries.ts';
import type { HookKeeping, ManagedText } from './host.ts';
import type { AgentHost } from './list.ts';
import { pluginTemplate, pluginText, readPlugin } from './plugin.ts';
import { hosts, recordOf, titleOf } from './registry.ts';
import { hookFile, readSettings } from './settings-file.ts';

/** Where to look, and the environment that decides about displays and binaries. */
export interface HealthOptions {
  readonly paths: HomePaths;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folder of the installed package, where `node_modules` and `dist` are. */
  readonly packageRoot: string;
  readonly platform: NodeJS.Platform;
  readonly uid: number;
  /** A folder whose own settings of agent hosts are looked at too, absolute. */
  readonly folder?: string;
}

/** What is said where a host has the hook for the person and for a folder as well. */
export function askedTwice(host: AgentHost): string {
  return `It has the hook for you and for this folder, so every use is asked about twice. Take one out: interlock uninstall ${host} --project`;
}

/**
 * Why a hook that stands in a host's settings does not hold, as sentences; none where it does.
 * Pure: what else is on the machine is not looked at.
 */
function reviewHooks(
  found: readonly FoundHook[],
  settings: Readonly<Record<string, unknown>>,
  format: HookFormat,
): readonly string[] {
  const gating = found.filter(({ event }) => format.gates.includes(event));
  if (gating.length === 0) return ['The hook that holds its tools is missing.'];
  return [...format.objections(settings), ...gating.flatMap((one) => weaknesses(one, format))];
}

/** What a host is not told of because its hooks were installed before Interlock had one for it. */
function olderHooks(
  host: AgentHost,
  found: readonly FoundHook[],
  format: HookFormat,
): readonly string[] {
  const [first] = found;
  if (first === undefined) return [];
  const plan = hookPlan(first.command, { seconds: first.command.wait, tools: format.tools });
  const missing = format
    .entries(plan)
    .map(({ event }) => event)
    .filter((event) => !format.gates.includes(event) && !found.some((one) => one.event === event));
  return [...new Set(missing)].map(
    (event) =>
      `It has no hook for ${event}, which this Interlock brings. Renew it: interlock install ${host}`,
  );
}

function weaknesses(
  { event, command, fields }: FoundHook,
  { perSecond, limit = 'timeout', failsClosed }: HookFormat,
): readonly string[] {
  const timeout = fields[limit];
  const waits = typeof timeout === 'number' && timeout > command.wait * perSecond;
  const isWhole = fields['command'] === hookCommand(command) && failsClosed(fields);
  return [
    ...(isWhole ? [] : [`Where the hook for ${event} fails, the host goes on without it.`]),
    ...(waits ? [] : [`The host waits for the hook for ${event} no longer than the hook itself.`]),
  ];
}

/** How long a person has for an answer about this agent, in whole seconds, as the files say now. */
export function askSeconds(paths: Pick<HomePaths, 'policy' | 'config'>, agent: string): number {
  const uid = ownUid();
  const policy = readPolicyFile(paths.policy, { uid, keepLastGood: false });
  const config = readConfigFile(paths.config, { uid });
  const { askTimeoutMs } = resolvePolicy(policy.ok ? policy.document : null, {
    agent,
    askTimeoutMs: config.ok ? config.config.approvals.askTimeoutMs : undefined,
  });
  return Math.ceil(askTimeoutMs / 1000);
}

/**
 * How long hook and host wait, in seconds: the hook a little longer than the gate, so that the
 * gate's own words arrive, and the host longer than both, because it lets pass what took too long.
 */
export function limitsFor(asking: number): { readonly wait: number; readonly host: number } {
  return { wait: asking + 15, host: asking + 30 };
}

/** An agent host that has, or should have, a hook of ours; as it was found. */
export interface AgentFacts {
  readonly host: AgentHost;
  /** The file with the hook. */
  readonly path: string;
  /** Only for one folder. */
  readonly isProject: boolean;
  /** Null where the file cannot be read any more. */
  readonly hook: HookFacts | null;
  /** Sentences: why it does not hold the agent, and what to know besides. */
  readonly broken: readonly string[];
  readonly remarks: readonly string[];
}

export interface HookFacts {
  /** In whose name it asks. */
  readonly agent: string;
  /** Of the native client, Node and the hook program, what is not there; absolute paths. */
  readonly missing: readonly string[];
  /** It starts the hook program of this very installation. */
  readonly isOurs: boolean;
  readonly key: 'there' | 'none' | 'taken-away';
  /** Whole seconds: after which the hook gives up, and which the policy gives a person. */
  readonly wait: number;
  readonly asking: number;
  /** The host runs what is allowed itself. */
  readonly decideOnly: boolean;
}

/** A hook of ours, and what is to be said about it. */
interface LookedAt {
  /** Null where the settings cannot be read any more. */
  readonly command: HookCommand | null;
  readonly broken: readonly string[];
  readonly remarks: readonly string[];
}

type Where = Pick<HealthOptions, 'env' | 'packageRoot'> & { readonly path: string };

/** What a host's settings make of our hook; null where there is none in them. */
export function lookAtHooks(host: AgentHost, text: string | null, where: Where): LookedAt | null {
  if (text === null || !text.includes(hookProgramPath)) return null;
  const { keeping, managed } = recordOf(host);
  if (managed?.text !== undefined && managed.read.includes(where.path))
    return lookAtManaged(managed.text, text);
  if (keeping.kind === 'plugin') return lookAtPlugin(keeping, text, where);
  try {
    return lookAtSettings(host, keeping, { text, ...where });
  } catch (error) {
    if (!(error instanceof UnfitText)) throw error;
    const sentence = `It starts no hook, because ${where.path} ${error.message}.`;
    return { command: null, broken: [sentence], remarks: [] };
  }
}

function lookAtManaged(form: ManagedText, text: string): LookedAt | null {
  const settings = form.read(text);
  if (settings === null) return { command: null, broken: ['It cannot be read.'], remarks: [] };
  const [first] = findHooks(settings);
  if (first === undefined) return null;
  return { command: first.command, broken: form.objections(settings), remarks: [] };
}

function lookAtSettings(
  host: AgentHost,
  { format, review }: Extract<HookKeeping, { kind: 'settings' }>,
  { text, ...where }: Where & { readonly text: string },
): LookedAt | null {
  const settings = parseObject(text, format);
  const found = findHooks(settings);
  const [first] = found;
  if (first === undefined) return null;
  const { broken, remarks } = review(found, where);
  return {
    command: first.command,
    broken: [...reviewHooks(found, settings, format), ...broken],
    remarks: [...remarks, ...olderHooks(host, found, format)],
  };
}

function lookAtPlugin(
  { asset }: Extract<HookKeeping, { kind: 'plugin' }>,
  text: string,
  { packageRoot }: Where,
): LookedAt | null {
  const plan = readPlugin(text);
  if (plan === null) return null;
  const isWhole = pluginText(pluginTemplate(packageRoot, asset), plan) === text;
  const broken = isWhole ? [] : ['The plugin is not the one that this Interlock ships.'];
  return { command: plan.command, broken, remarks: [] };
}

/** Who runs what is allowed, and what holds it, as a sentence. */
export function whoRuns(host: AgentHost, decideOnly = false): string {
  const title = titleOf(host);
  return decideOnly || !recordOf(host).adapter.rewrites
    ? `What is allowed ${title} runs itself: in its own sandbox where it has one, without the limits of the runner, and what came of it is not on record.`
    : `What is allowed the runner runs: as it was decided, with its limits, on record, outside of any sandbox of ${title}.`;
}

/** Every host that has a hook of ours, for the person and for the folder that is looked at. */
export function gatherAgents(options: HealthOptions): readonly AgentFacts[] {
  const { env, folder = null } = options;
  const places = hosts.flatMap((host) => {
    const personal = hookFile(host, { env, project: null });
    const here = folder === null ? personal : hookFile(host, { env, project: folder });
    return [
      { host, path: personal, isProject: false },
      ...(here === personal ? [] : [{ host, path: here, isProject: true }]),
    ];
  });
  const agents = places.flatMap((place) => agentAt(place, options) ?? []);
  return agents.map((agent) => {
    const isTwice =
      agent.isProject && agents.some((one) => one !== agent && one.host === agent.host);
    return isTwice ? { ...agent, remarks: [...agent.remarks, askedTwice(agent.host)] } : agent;
  });
}

interface Place {
  readonly host: AgentHost;
  readonly path: string;
  readonly isProject: boolean;
}

function agentAt(place: Place, options: HealthOptions): AgentFacts | null {
  const { path } = place;
  const looked = lookAtHooks(place.host, textAt(place, options), { ...options, path });
  if (looked === null) return null;
  const { command, broken, remarks } = looked;
  return { ...place, hook: command === null ? null : hookFacts(command, options), broken, remarks };
}

function hookFacts(command: HookCommand, options: HealthOptions): HookFacts {
  const { client, node, program, agent, wait } = command;
  const started = client === undefined ? [node, program] : [client, node, program];
  const ours = join(options.packageRoot, hookProgramPath);
  return {
    agent,
    missing: started.filter((path) => !existsSync(path)),
    isOurs: realOf(program) === realOf(ours),
    key: keyState(command, options),
    wait,
    asking: askSeconds(options.paths, agent),
    decideOnly: command.decideOnly === true,
  };
}

/** Settings that may not be touched cannot be judged either; then nothing is said about them. */
function textAt({ path, isProject }: Place, { uid, folder }: HealthOptions): string | null {
  try {
    return readSettings(path, { uid, project: isProject ? (folder ?? null) : null }).text;
  } catch (error) {
    if (refusalOf(error) === undefined) throw error;
    return null;
  }
}

function keyState({ agent }: HookCommand, { paths, uid }: HealthOptions): HookFacts['key'] {
  try {
    const { agents } = readPrincipalFile(agentIndex(paths.keysDirectory), uid);
    const known = Object.hasOwn(agents, agent) ? agents[agent] : undefined;
    if (known === undefined) return 'none';
    const hasFile = existsSync(agentKeyFile(paths.keysDirectory, agent));
    return known.keyedAt !== null && hasFile ? 'there' : 'taken-away';
  } catch {
    return 'none';
  }
}

function realOf(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}
