import { isFields } from '../../engine/index.ts';
import { homeFolder, machineFile, nothing, nothingToReview } from '../host.ts';
import type { HostRecord } from '../host.ts';
import { claudeAdapter } from './adapter.ts';
import { claudeFormat } from './hook.ts';
import { readClaude } from './import.ts';

const managedFile = machineFile(
  '/Library/Application Support/ClaudeCode',
  '/etc/claude-code',
  'managed-settings.json',
);

export const claudeHost: HostRecord = {
  adapter: claudeAdapter,
  keeping: {
    kind: 'settings',
    format: claudeFormat,
    switches: (settings) => [
      ...claudeFormat.objections(settings),
      ...(settings['allowManagedHooksOnly'] === true
        ? ['Only hooks of managed settings run ("allowManagedHooksOnly").']
        : []),
    ],
    review: nothingToReview,
  },
  places: {
    folder: (env) => homeFolder(env, '.claude', 'CLAUDE_CONFIG_DIR'),
    personal: 'settings.json',
    // The file that is not shared, because the hook has paths of this machine in it.
    project: '.claude/settings.local.json',
    inProject: ['.claude/settings.json', '.claude/settings.local.json'],
    besides: nothing,
  },
  // Read before all others; with this lock a project's hooks and its `disableAllHooks` count for nothing.
  managed: {
    write: managedFile,
    read: [managedFile],
    lock: { allowManagedHooksOnly: true, disableAllHooks: false },
  },
  off: nothing,
  rules: {
    format: 'claude',
    file: 'settings.json',
    folder: '.claude',
    isTheirs: (_text, value) => isFields(value) && isFields(value['permissions']),
    read: (_text, value) =>
      value === undefined ? { ok: false, error: 'It is not JSON.' } : readClaude(value),
  },
  acp: null,
  modelKey: { program: 'claude', variable: 'ANTHROPIC_API_KEY', secret: 'anthropic' },
  inBox: {
    told: '.claude/CLAUDE.md',
    hosts: [
      'api.anthropic.com',
      'claude.ai',
      '*.claude.ai',
      'platform.claude.com',
      'console.anthropic.com',
    ],
  },
  words: {
    advice: ['Sessions of Claude Code that are open do not have the hook: start them again.'],
    objections: nothing,
    guide: 'docs/agents/claude-code.md',
  },
};
