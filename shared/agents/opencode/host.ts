import { join } from 'node:path';
import { toolGroups } from '../hook-entries.ts';
import { homeFolder, nothing } from '../host.ts';
import type { HostRecord } from '../host.ts';
import { opencodeAdapter } from './adapter.ts';

export const opencodeHost: HostRecord = {
  adapter: opencodeAdapter,
  keeping: {
    kind: 'plugin',
    tools: toolGroups,
    asset: 'assets/agents/opencode/interlock.js',
    folders: ['plugins', 'plugin'],
  },
  places: {
    folder: (env) => join(homeFolder(env, '.config', 'XDG_CONFIG_HOME'), 'opencode'),
    personal: 'plugins/interlock.js',
    project: '.opencode/plugins/interlock.js',
    inProject: ['.opencode/plugin', '.opencode/plugins'],
    besides: nothing,
  },
  managed: null,
  off: nothing,
  rules: null,
  acp: null,
  words: {
    advice: ['Sessions of OpenCode that are open do not have the plugin: start them again.'],
    objections: nothing,
    guide: 'docs/agents/opencode.md',
  },
};
