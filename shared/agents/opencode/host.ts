import { join } from 'node:path';
import { toolGroups } from '../hook-entries.ts';
import { homeFolder, nothing, pluginsNamed } from '../host.ts';
import type { Env, HostRecord } from '../host.ts';
import { opencodeAdapter } from './adapter.ts';

const folder = (env: Env): string =>
  join(homeFolder(env, '.config', 'XDG_CONFIG_HOME'), 'opencode');

const settings = ['opencode.json', 'opencode.jsonc'];

export const opencodeHost: HostRecord = {
  adapter: opencodeAdapter,
  keeping: {
    kind: 'plugin',
    tools: toolGroups,
    asset: 'assets/agents/opencode/interlock.js',
    folders: ['plugins', 'plugin'],
    switches: (file) => pluginsNamed(file, ['plugin']),
  },
  places: {
    folder,
    personal: 'plugins/interlock.js',
    project: '.opencode/plugins/interlock.js',
    inProject: [
      '.opencode/plugin',
      '.opencode/plugins',
      ...['', '.opencode/'].flatMap((at) => settings.map((name) => at + name)),
    ],
    besides: (env) => settings.map((name) => join(folder(env), name)),
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
