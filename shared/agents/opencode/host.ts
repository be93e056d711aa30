import { join } from 'node:path';
import type { HostAdapter } from '../../wire/index.ts';
import { toolGroups } from '../hook-entries.ts';
import { homeFolder, nothing, pluginsNamed } from '../host.ts';
import type { Env, HostRecord } from '../host.ts';
import { opencodeAdapter } from './adapter.ts';

/** In what OpenCode and the programs made from it differ. */
interface Fork {
  readonly adapter: HostAdapter;
  /** The name of its folder, its settings and its files in the package. */
  readonly name: string;
  /** Where it looks for plugins in a folder of settings; the first is where ours is put. */
  readonly folders: readonly [string, string];
  /** Folders of a project in which it also looks for its settings; the first has our plugin. */
  readonly inProject: readonly [string, ...string[]];
  readonly advice: readonly string[];
}

/** The record of a host that takes plugins as OpenCode does. */
export function forkOfOpencode({ adapter, name, folders, inProject, advice }: Fork): HostRecord {
  const folder = (env: Env): string => join(homeFolder(env, '.config', 'XDG_CONFIG_HOME'), name);
  const settings = [`${name}.json`, `${name}.jsonc`];
  const plugin = `${folders[0]}/interlock.js`;
  return {
    adapter,
    keeping: {
      kind: 'plugin',
      tools: toolGroups,
      asset: `assets/agents/${name}/interlock.js`,
      folders,
      switches: (file) => pluginsNamed(file, ['plugin']),
    },
    places: {
      folder,
      personal: plugin,
      project: `${inProject[0]}/${plugin}`,
      inProject: [
        ...inProject.flatMap((at) => ['plugin', 'plugins'].map((one) => `${at}/${one}`)),
        ...['', ...inProject.map((at) => `${at}/`)].flatMap((at) =>
          settings.map((one) => at + one),
        ),
      ],
      besides: (env) => settings.map((one) => join(folder(env), one)),
    },
    managed: null,
    off: nothing,
    rules: null,
    acp: null,
    words: { advice, objections: nothing, guide: `docs/agents/${name}.md` },
  };
}

export const opencodeHost: HostRecord = {
  ...forkOfOpencode({
    adapter: opencodeAdapter,
    name: 'opencode',
    folders: ['plugins', 'plugin'],
    inProject: ['.opencode'],
    advice: ['Sessions of OpenCode that are open do not have the plugin: start them again.'],
  }),
  inBox: { told: '.config/opencode/AGENTS.md' },
};
