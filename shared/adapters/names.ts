import type { AgentHost } from './types.ts';

/** What people call the hosts. */
export const hostNames: Readonly<Record<AgentHost, string>> = {
  claude: 'Claude Code',
  codex: 'Codex',
  gemini: 'Gemini CLI',
  cursor: 'Cursor',
  opencode: 'OpenCode',
};
