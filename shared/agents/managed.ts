import type { AgentHost } from '../wire/index.ts';

/** Settings of a machine that no project and no person overrides. */
export interface ManagedSettings {
  /** The file that `interlock install --managed` writes. */
  readonly write: string;
  /** All that the host reads of them. */
  readonly read: readonly string[];
  /** What keeps hooks of projects from coming after ours, and the hooks from being turned off. */
  readonly lock: Readonly<Record<string, unknown>>;
}

const onMac = process.platform === 'darwin';

/**
 * Hosts with such settings. Claude Code reads `managed-settings.json` before all others; with
 * `allowManagedHooksOnly` a project's hooks and its `disableAllHooks` count for nothing. Gemini CLI's
 * system settings win over the person's and the project's. Codex reads what `requirements.toml` demands,
 * which has no form for hooks that could be tried here; so it is left to the person's `hooks.json`.
 */
export const managedSettings: Readonly<Partial<Record<AgentHost, ManagedSettings>>> = {
  claude: {
    write: join(
      '/Library/Application Support/ClaudeCode',
      '/etc/claude-code',
      'managed-settings.json',
    ),
    read: [
      join('/Library/Application Support/ClaudeCode', '/etc/claude-code', 'managed-settings.json'),
    ],
    lock: { allowManagedHooksOnly: true, disableAllHooks: false },
  },
  gemini: {
    write: join('/Library/Application Support/GeminiCli', '/etc/gemini-cli', 'settings.json'),
    read: [join('/Library/Application Support/GeminiCli', '/etc/gemini-cli', 'settings.json')],
    lock: { hooksConfig: { enabled: true } },
  },
};

function join(mac: string, linux: string, name: string): string {
  return `${onMac ? mac : linux}/${name}`;
}
