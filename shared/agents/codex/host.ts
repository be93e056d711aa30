import type { HostRecord } from '../host.ts';
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
import { codexRequirements, requirementLock } from './requirements.ts';

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
