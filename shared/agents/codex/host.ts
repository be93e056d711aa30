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
  // What `requirements.toml` demands has no form for hooks that could be tried here.
  managed: null,
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
  words: {
    advice: [
      'Codex skips a hook in silence until you trust it: open Codex, enter /hooks and trust both of Interlock.',
      'Keep its own sandbox and approvals strict. They are what is left if the hook should fail.',
    ],
    objections: (env) => codexObjections(codexConfig(env)),
    guide: 'docs/agents/codex.md',
  },
};
