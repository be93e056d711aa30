import type { AgentHost } from '../adapters/types.ts';
import { claudeFormat } from './hosts/claude.ts';
import { codexFormat } from './hosts/codex.ts';
import { cursorFormat } from './hosts/cursor.ts';
import { geminiFormat } from './hosts/gemini.ts';
import { toolGroups } from './types.ts';
import type { HookFormat, ToolGroup } from './types.ts';

/** The hosts whose hooks stand in a JSON file; OpenCode has a plugin instead. */
export const hookFormats: Readonly<Record<Exclude<AgentHost, 'opencode'>, HookFormat>> = {
  claude: claudeFormat,
  codex: codexFormat,
  gemini: geminiFormat,
  cursor: cursorFormat,
};

/** What of an agent a host tells its hooks about. */
export function toolsOf(host: AgentHost): readonly ToolGroup[] {
  return host === 'opencode' ? toolGroups : hookFormats[host].tools;
}
