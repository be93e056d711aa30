import { parse } from 'smol-toml';
import type { HostRecord, ManagedText } from '../host.ts';
import { codexAdapter } from './adapter.ts';
import {
  codexConfig,
  codexConfigFile,
  codexFolder,
  codexObjections,
  reviewCodex,
} from './config.ts';
import { codexFormat } from './hook.ts';
import { readCodex } from './import.ts';
import { isFields } from '../../engine/index.ts';
import type { Fields, HookPlan } from '../hook-entries.ts';

const begin = '# interlock: begin. "interlock uninstall codex --managed" takes these lines out.\n';
const end = '# interlock: end\n';

/** Keeps hooks on, and those of others out. */
const requirementLock = { allow_managed_hooks_only: true, features: { hooks: true } };

/**
 * `requirements.toml` of Codex 0.169: what it says no project, no person and no `-c` of the command
 * line overrides, and its hooks need no trust. Our lines stand first, since keys behind a table would
 * belong to it. Where the file says something about hooks or features already, it is not TOML any more
 * with our lines, so it is left alone.
 */
const codexRequirements: ManagedText = {
  withHooks: (text, plan) => {
    const after = linesFor(plan) + without(text ?? '');
    return read(after) === null ? null : after;
  },
  withoutHooks: without,
  read,
  objections: (settings) =>
    Object.entries(requirementLock).flatMap(([name, value]) =>
      JSON.stringify(settings[name]) === JSON.stringify(value)
        ? []
        : [`What keeps the hooks is missing there (${name}).`],
    ),
};

function linesFor(plan: HookPlan): string {
  const entries = codexFormat.entries(plan).map(({ event, value }) => [event, [value]] as const);
  const settings = { ...requirementLock, hooks: Object.fromEntries(entries) };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${inline(value)}\n`);
  return `${begin}${lines.join('')}${end}`;
}

function without(text: string): string {
  const from = text.indexOf(begin);
  const to = text.indexOf(end, from);
  return from < 0 || to < 0 ? text : text.slice(0, from) + text.slice(to + end.length);
}

function read(text: string): Fields | null {
  try {
    const value: unknown = parse(text);
    return isFields(value) ? value : null;
  } catch {
    return null;
  }
}

/** A value as TOML on one line. Strings of JSON are strings of TOML. */
function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  if (!isFields(value)) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, field]) => `${name} = ${inline(field)}`);
  return `{ ${fields.join(', ')} }`;
}

const requirementsFile = '/etc/codex/requirements.toml';

export const codexHost: HostRecord = {
  adapter: codexAdapter,
  keeping: { kind: 'settings', format: codexFormat, switches: null, review: reviewCodex },
  places: {
    folder: codexFolder,
    personal: 'hooks.json',
    project: '.codex/hooks.json',
    inProject: ['.codex/hooks.json'],
    besides: (env) => [codexConfigFile(env)],
  },
  managed: {
    write: requirementsFile,
    read: [requirementsFile],
    lock: requirementLock,
    text: codexRequirements,
  },
  off: (env) =>
    codexConfig(env)?.hooks === false ? ['Hooks are turned off in the config.toml of Codex.'] : [],
  rules: {
    format: 'codex',
    file: 'a .rules file',
    folder: '.codex',
    isTheirs: (text, value) =>
      value === undefined && /^\s*(?:prefix_rule|host_executable|network_rule)\s*\(/m.test(text),
    read: readCodex,
  },
  acp: null,
  modelKey: { program: 'codex', variable: 'OPENAI_API_KEY', secret: 'openai' },
  inBox: {
    told: '.codex/AGENTS.md',
    hosts: ['api.openai.com', 'chatgpt.com', 'auth.openai.com'],
  },
  words: {
    advice: [
      'Codex skips a hook in silence until you trust it: open Codex, enter /hooks and trust both of Interlock.',
      'Keep its own sandbox and approvals strict. They are what is left if the hook should fail.',
    ],
    objections: (env, decideOnly) => codexObjections(codexConfig(env), decideOnly),
    guide: 'docs/agents/codex.md',
  },
};
