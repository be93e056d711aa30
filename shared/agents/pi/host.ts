import { join } from 'node:path';
import { toolGroups } from '../hook-entries.ts';
import { homeFolder, nothing, pluginsNamed } from '../host.ts';
import type { Env, HostRecord } from '../host.ts';
import { piAdapter } from './adapter.ts';

const folder = (env: Env): string => homeFolder(env, '.pi/agent', 'PI_CODING_AGENT_DIR');

export const piHost: HostRecord = {
  adapter: piAdapter,
  keeping: {
    kind: 'plugin',
    tools: toolGroups,
    asset: 'assets/agents/pi/interlock.js',
    folders: ['extensions'],
    // The same lists can leave an extension out by its path.
    switches: (file) => pluginsNamed(file, ['extensions', 'packages']),
  },
  places: {
    folder,
    personal: 'extensions/interlock.js',
    project: '.pi/extensions/interlock.js',
    inProject: ['.pi/extensions', '.pi/settings.json'],
    besides: (env) => [join(folder(env), 'settings.json')],
  },
  managed: null,
  off: nothing,
  rules: null,
  acp: null,
  words: {
    advice: [
      'Sessions of pi that are open do not have the extension: start them again, or /reload.',
    ],
    objections: nothing,
    guide: 'docs/agents/pi.md',
  },
};
