import type { AgentHost } from '../../../shared/adapters/types.ts';
import { codexObjections } from '../../../shared/agent-hooks/codex-advice.ts';
import { codexConfig } from '../../../shared/node/agent-hooks/codex-config-file.ts';
import type { Io } from '../io.ts';

const always: Readonly<Record<AgentHost, readonly string[]>> = {
  claude: ['Sessions of Claude Code that are open do not have the hook: start them again.'],
  codex: [
    'Codex skips a hook in silence until you trust it: open Codex, enter /hooks and trust both of Interlock.',
    'Keep its own sandbox and approvals strict. They are what is left if the hook should fail.',
  ],
  gemini: [
    'Gemini CLI runs no hooks in folders that it does not trust (/permissions shows).',
    'Sessions that are open do not have the hook: start them again.',
  ],
  cursor: [
    'Cursor runs allowed commands itself: Interlock decides and records the decision, not the outcome.',
    'Cursor asks no hook before it edits a file.',
  ],
  opencode: ['Sessions of OpenCode that are open do not have the plugin: start them again.'],
};

/** What a person still has to know or do after an installation. */
export function adviceFor(host: AgentHost, { env }: Pick<Io, 'env'>): readonly string[] {
  const own = host === 'codex' ? codexObjections(codexConfig(env)) : [];
  return [...always[host], ...own, `What it cannot hold: ${guides[host]}`];
}

const guides: Readonly<Record<AgentHost, string>> = {
  claude: 'docs/agents/claude-code.md',
  codex: 'docs/agents/codex.md',
  gemini: 'docs/agents/gemini-cli.md',
  cursor: 'docs/agents/cursor.md',
  opencode: 'docs/agents/opencode.md',
};
