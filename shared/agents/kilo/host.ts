import { forkOfOpencode } from '../opencode/host.ts';
import { compile, s } from '../../base/index.ts';
import { must } from '../call.ts';
import { bashOf, opencodeTools } from '../opencode/adapter.ts';
import { pluginAdapter } from '../plugin-call.ts';
import type { PluginHost } from '../plugin-call.ts';
import { kiloHook } from './hook.ts';

const { title } = kiloHook;
const shared = opencodeTools(title);

/** `background_process` of Kilo 7.7: more than one thing in one tool. */
const checkBackground = compile(s.open({ action: s.string() }));

/** What only looks at a process or ends it. `restart` runs one again that nobody may have been asked about. */
const looking: ReadonlySet<string> = new Set(['list', 'status', 'logs', 'stop']);

const background: PluginHost['shells'][string] = (args, directory) => {
  const { action } = must(checkBackground, args, title);
  if (looking.has(action)) return 'free';
  return action === 'start' || action === 'monitor' ? bashOf(args, directory, title) : null;
};

/** Kilo 7.7, a fork of OpenCode, through the plugin that Interlock ships. */
const kiloAdapter = pluginAdapter({
  ...kiloHook,
  name: 'kilo',
  ...shared,
  free: new Set([
    ...shared.free,
    'board_read',
    'board_post',
    'cron_list',
    'cron_delete',
    'cancel_wakeup',
    'kilo_local_recall',
    'link_pr',
    'goal',
  ]),
  shells: { ...shared.shells, background_process: background },
});

export const kiloHost = forkOfOpencode({
  adapter: kiloAdapter,
  name: 'kilo',
  folders: ['plugin', 'plugins'],
  inProject: ['.kilo', '.kilocode'],
  advice: [
    'Sessions of Kilo that are open do not have the plugin: start them again.',
    'Kilo drops a plugin that does not load without a word: run one command and look at the record.',
  ],
});
