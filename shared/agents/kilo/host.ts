import { forkOfOpencode } from '../opencode/host.ts';
import { kiloAdapter } from './adapter.ts';

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
