import { homeFolder, nothing, nothingToReview } from '../host.ts';
import type { HostRecord } from '../host.ts';
import { cursorAdapter } from './adapter.ts';
import { cursorFormat } from './hook.ts';

export const cursorHost: HostRecord = {
  adapter: cursorAdapter,
  keeping: { kind: 'settings', format: cursorFormat, switches: null, review: nothingToReview },
  places: {
    folder: (env) => homeFolder(env, '.cursor'),
    personal: 'hooks.json',
    project: '.cursor/hooks.json',
    inProject: ['.cursor/hooks.json'],
    besides: nothing,
  },
  managed: null,
  off: nothing,
  rules: null,
  acp: null,
  words: {
    advice: [
      'Cursor runs allowed commands itself: Interlock decides and records the decision, not the outcome.',
      'Cursor asks no hook before it edits a file.',
    ],
    objections: nothing,
    guide: 'docs/agents/cursor.md',
  },
};
