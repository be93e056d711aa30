import { homeFolder, machineFile, nothing, nothingToReview } from '../host.ts';
import type { HostRecord } from '../host.ts';
import { droidAdapter } from './adapter.ts';
import { droidFormat } from './hook.ts';

const managedFile = machineFile(
  '/Library/Application Support/Factory',
  '/etc/factory',
  'settings.json',
);

/** In any of these `hooksDisabled` is looked for; in a project's `hooks.json` it was seen to count. */
const inProject = ['.factory/settings.local.json', '.factory/settings.json', '.factory/hooks.json'];

export const droidHost: HostRecord = {
  adapter: droidAdapter,
  keeping: {
    kind: 'settings',
    format: droidFormat,
    switches: (settings) => [
      ...droidFormat.objections(settings),
      ...(settings['allowManagedHooksOnly'] === true
        ? ['Only hooks of managed settings run ("allowManagedHooksOnly").']
        : []),
    ],
    review: nothingToReview,
  },
  places: {
    folder: (env) => homeFolder(env, '.factory'),
    personal: 'settings.json',
    // It takes no hooks from the file that is not shared (`settings.local.json`).
    project: '.factory/settings.json',
    inProject,
    // The command that a project's hook returns is the one that runs, whatever ours returned.
    overriding: (env) => [
      ...inProject,
      '.factory/hooks',
      `${homeFolder(env, '.factory')}/hooks.json`,
    ],
    besides: (env) => [`${homeFolder(env, '.factory')}/hooks.json`],
  },
  // With this lock a project has no hooks, and its `hooksDisabled` counts for nothing.
  managed: {
    write: managedFile,
    read: [managedFile],
    lock: { allowManagedHooksOnly: true },
  },
  off: nothing,
  rules: null,
  acp: null,
  words: {
    advice: [
      'Sessions of Droid that are open do not have the hook: start them again.',
      'What Interlock allows runs on every autonomy level of Droid, also on the one that only reads.',
    ],
    objections: nothing,
    guide: 'docs/agents/droid.md',
  },
};
