import { compile, readJson, refuse } from '../base/index.ts';
import type { Refusal } from '../base/index.ts';
import { advisorProblem } from './advisors.ts';
import { egressFor } from './egress/config.ts';
import { compileEgress } from './egress/policy.ts';
import { boxesProblem } from './boxes.ts';
import { configFileSchema, defaultConfig } from './config.ts';
import { rememberFile } from './config.ts';
import type { Config, ConfigFile } from './config.ts';
import type { AgentClaim } from './config-fields.ts';

type ParsedConfig =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly problem: Refusal };

/** Longest text that is looked at, in characters. */
export const maxConfigLength = 1024 * 1024;

const check = compile(configFileSchema);

/**
 * Reads the text of `config.json` and fills in the defaults. Unknown fields are refused, but for such
 * as begin with `x-`, and so are fields that stand there twice.
 */
export function parseConfig(text: string): ParsedConfig {
  if (text.length > maxConfigLength)
    return invalid(`It is longer than ${maxConfigLength} characters.`);
  const checked = readJson(check, text);
  if (!checked.ok) return invalid(checked.error);
  const config = completed(checked.value);
  if (config.exec.timeoutMs > config.exec.maxTimeoutMs) {
    return invalid('exec.timeoutMs is greater than exec.maxTimeoutMs.');
  }
  if (config.rpc.timeoutMs > config.rpc.maxTimeoutMs) {
    return invalid('rpc.timeoutMs is greater than rpc.maxTimeoutMs.');
  }
  const problem =
    listProblem(checked.value) ??
    userProblem(config.users) ??
    egressProblem(config) ??
    advisorProblem(config) ??
    boxesProblem(config, (egress) => {
      const own = compileEgress(egress);
      return own.ok ? null : sentence(own.problem);
    });
  return problem === null ? { ok: true, config } : invalid(problem);
}

/** `agents.list` is the one entry that may be a list, and says each agent once. */
function listProblem({ agents = {} }: ConfigFile): string | null {
  for (const [name, entry] of Object.entries(agents)) {
    if (!isList(entry)) continue;
    if (name !== 'list') return `agents.${name} must be an object, not a list.`;
    const ids = entry.map(({ id }) => id);
    const twice = ids.find((id, index) => ids.indexOf(id) !== index);
    if (twice !== undefined) return `agents.list has two entries with the id "${twice}".`;
  }
  return null;
}

type AgentEntry = NonNullable<ConfigFile['agents']>[string];
type ListedAgents = Extract<AgentEntry, readonly unknown[]>;

function isList(entry: AgentEntry | undefined): entry is ListedAgents {
  return Array.isArray(entry);
}

/** The agents by name: what stands under their own names wins over `agents.list`, field by field. */
function agentsOf(agents: NonNullable<ConfigFile['agents']>): Config['agents'] {
  const named: Record<string, AgentClaim> = {};
  for (const [name, entry] of Object.entries(agents)) if (!isList(entry)) named[name] = entry;
  const { list } = agents;
  if (!isList(list)) return named;
  for (const { id, tools } of list)
    named[id] = { ...tools?.exec, ...(Object.hasOwn(named, id) ? named[id] : {}) };
  return named;
}

/** A rule for hosts that is not understood: it may not be left out, since it may be one that denies. */
function egressProblem(config: Config): string | null {
  const all = compileEgress(config.egress);
  if (!all.ok) return sentence(all.problem);
  for (const [agent, { egress }] of Object.entries(config.agents)) {
    const own = egress === undefined ? all : compileEgress(egressFor(config, agent));
    if (!own.ok) return sentence(`agents.${agent}: ${own.problem}`);
  }
  return null;
}

function sentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`;
}

/** What fields of `users` go together; a shape cannot say it in words that help. */
function userProblem(users: Config['users']): string | null {
  const names = new Set<string>();
  for (const [index, { uid, agents, name, trust, match, sandbox }] of users.entries()) {
    const lacks = (field: string, why: string): string =>
      `users[${String(index)}] lacks the field "${field}"${why}.`;
    if (name === undefined && (trust ?? match ?? sandbox) !== undefined)
      return lacks('name', ', which goes with "trust", "match" and "sandbox"');
    if (name !== undefined && trust === undefined)
      return lacks('trust', ', which goes with a "name"');
    if (agents !== undefined && uid === undefined)
      return lacks('uid', ', which goes with "agents"');
    if (uid !== undefined && agents === undefined) return lacks('agents', '');
    if (uid === undefined && name === undefined) return lacks('uid', '');
    if (name === undefined) continue;
    if (names.has(name)) return `users[${String(index)}] has the name "${name}" of another user.`;
    names.add(name);
  }
  return null;
}

/** The file's settings over the defaults, section by section. */
export function completed(file: ConfigFile): Config {
  const config: Config = {
    version: 1,
    exec: { ...defaultConfig.exec, ...file.tools?.exec, ...file.exec },
    tools: { ...defaultConfig.tools, ...file.tools },
    sandbox: { ...defaultConfig.sandbox, ...file.sandbox },
    boxes: { ...defaultConfig.boxes, ...file.boxes },
    egress: { ...defaultConfig.egress, ...file.egress },
    trust: { ...defaultConfig.trust, ...file.trust },
    principals: { ...defaultConfig.principals, ...file.principals },
    limits: { ...defaultConfig.limits, ...file.limits },
    users: file.users ?? defaultConfig.users,
    agents: file.agents === undefined ? defaultConfig.agents : agentsOf(file.agents),
    approvals: { ...defaultConfig.approvals, ...file.approvals },
    advisors: { ...defaultConfig.advisors, ...file.advisors },
    undo: { ...defaultConfig.undo, ...file.undo },
    audit: { ...defaultConfig.audit, ...file.audit },
    ui: { ...defaultConfig.ui, ...file.ui },
    lockout: { ...defaultConfig.lockout, ...file.lockout },
    rpc: { ...defaultConfig.rpc, ...file.rpc },
    nodes: { ...defaultConfig.nodes, ...file.nodes },
    gateway: { ...defaultConfig.gateway, ...file.gateway },
    openclaw: { ...defaultConfig.openclaw, ...file.openclaw },
    service: { ...defaultConfig.service, ...file.service },
  };
  rememberFile(config, file);
  return config;
}

function invalid(why: string): ParsedConfig {
  const hint = 'Mend config.json, or move it away to use the defaults. Nothing runs until then.';
  return {
    ok: false,
    problem: refuse('config-invalid', `config.json is not valid: ${why}`, hint).refusal,
  };
}
