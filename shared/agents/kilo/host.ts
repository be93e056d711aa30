import { join } from 'node:path';
import { toolGroups } from '../hook-entries.ts';
import { homeFolder, nothing, pluginsNamed } from '../host.ts';
import type { Env, HostRecord } from '../host.ts';
import { kiloAdapter } from './adapter.ts';

const folder = (env: Env): string => join(homeFolder(env, '.config', 'XDG_CONFIG_HOME'), 'kilo');

const settings = ['kilo.json', 'kilo.jsonc'];

export const kiloHost: HostRecord = {
  adapter: kiloAdapter,
  keeping: {
    kind: 'plugin',
    tools: toolGroups,
    asset: 'assets/agents/kilo/interlock.js',
    folders: ['plugin', 'plugins'],
    switches: (file) => pluginsNamed(file, ['plugin']),
  },
  places: {
    folder,
    personal: 'plugin/interlock.js',
    project: '.kilo/plugin/interlock.js',
    inProject: [
      '.kilo/plugin',
      '.kilo/plugins',
      '.kilocode/plugin',
      '.kilocode/plugins',
      ...['', '.kilo/', '.kilocode/'].flatMap((at) => settings.map((name) => at + name)),
    ],
    besides: (env) => settings.map((name) => join(folder(env), name)),
  },
  managed: null,
  off: nothing,
  rules: null,
  acp: null,
  words: {
    advice: [
      'Sessions of Kilo that are open do not have the plugin: start them again.',
      'Kilo drops a plugin that does not load without a word: run one command and look at the record.',
    ],
    objections: nothing,
    guide: 'docs/agents/kilo.md',
  },
};
