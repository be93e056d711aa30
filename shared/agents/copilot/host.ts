import { join } from 'node:path';
import { homeFolder, nothing, nothingToReview } from '../host.ts';
import type { Env, HostRecord } from '../host.ts';
import { copilotAdapter } from './adapter.ts';
import { copilotFormat } from './hook.ts';

const folder = (env: Env): string => homeFolder(env, '.copilot', 'COPILOT_HOME');

/** Settings in which `disableAllHooks` counts where the folder is trusted; Claude Code's own too. */
const switching = ['.github/copilot', '.claude'].flatMap((at) => [
  `${at}/settings.json`,
  `${at}/settings.local.json`,
]);

const managedFile = '/etc/github-copilot/policy.d/interlock.json';

export const copilotHost: HostRecord = {
  adapter: copilotAdapter,
  keeping: {
    kind: 'settings',
    format: copilotFormat,
    switches: ({ disableAllHooks, hooks }) =>
      disableAllHooks === true && hooks === undefined
        ? ['All hooks are turned off there ("disableAllHooks").']
        : [],
    review: nothingToReview,
  },
  places: {
    folder,
    personal: 'hooks/interlock.json',
    project: '.github/hooks/interlock.json',
    inProject: ['.github/hooks/interlock.json', ...switching],
    // A hook of a trusted project runs after ours, and the command that it returns is the one that runs.
    overriding: (env) => ['.github/hooks', join(folder(env), 'hooks')],
    besides: (env) => [join(folder(env), 'settings.json'), join(folder(env), 'config.json')],
  },
  // The policy's hooks stay when a project turns hooks off; with the lock no project has any of its own.
  managed:
    process.platform === 'linux'
      ? {
          write: managedFile,
          read: [managedFile],
          lock: { allowManagedHooksOnly: true },
          lockIn: '/etc/github-copilot/managed-settings.json',
        }
      : null,
  off: nothing,
  rules: null,
  acp: null,
  words: {
    advice: [
      'Sessions of Copilot CLI that are open do not have the hook: start them again.',
      'What Interlock allows runs even where a rule of Copilot denies it (--deny-tool): carry such rules over.',
    ],
    objections: nothing,
    guide: 'docs/agents/copilot-cli.md',
  },
};
