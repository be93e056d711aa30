import { homeFolder, machineFile, nothing, nothingToReview } from '../host.ts';
import type { HostRecord } from '../host.ts';
import { geminiAdapter } from './adapter.ts';
import { geminiFormat } from './hook.ts';

const managedFile = machineFile(
  '/Library/Application Support/GeminiCli',
  '/etc/gemini-cli',
  'settings.json',
);

export const geminiHost: HostRecord = {
  adapter: geminiAdapter,
  keeping: {
    kind: 'settings',
    format: geminiFormat,
    switches: geminiFormat.objections,
    review: nothingToReview,
  },
  places: {
    folder: (env) => homeFolder(env, '.gemini'),
    personal: 'settings.json',
    project: '.gemini/settings.json',
    inProject: ['.gemini/settings.json'],
    besides: nothing,
  },
  // They win over the person's settings and the project's.
  managed: {
    write: managedFile,
    read: [managedFile],
    lock: { hooksConfig: { enabled: true } },
  },
  off: nothing,
  rules: null,
  acp: 'gemini --acp',
  modelKey: { program: 'gemini', variable: 'GEMINI_API_KEY', secret: 'gemini' },
  inBox: {
    told: '.gemini/GEMINI.md',
    hosts: ['generativelanguage.googleapis.com', 'oauth2.googleapis.com'],
  },
  words: {
    advice: [
      'Gemini CLI runs no hooks in folders that it does not trust (/permissions shows).',
      'Sessions that are open do not have the hook: start them again.',
    ],
    objections: nothing,
    guide: 'docs/agents/gemini-cli.md',
  },
};
