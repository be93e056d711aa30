import type { AgentHost } from '../adapters/types.ts';
import { claudeFormat } from './hosts/claude.ts';
import { codexFormat } from './hosts/codex.ts';
import { cursorFormat } from './hosts/cursor.ts';
import { geminiFormat } from './hosts/gemini.ts';
import type { HookFormat } from './types.ts';

/** The hosts whose hooks stand in a JSON file; OpenCode has a plugin instead. */
export const hookFormats: Readonly<Record<Exclude<AgentHost, 'opencode'>, HookFormat>> = {
  claude: claudeFormat,
  codex: codexFormat,
  gemini: geminiFormat,
  cursor: cursorFormat,
};
