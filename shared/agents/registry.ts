import { isHost } from '../wire/index.ts';
import type { AgentHost, HostAdapter } from '../wire/index.ts';
import { claudeAdapter } from './claude/adapter.ts';
import { claudeFormat } from './claude/hook.ts';
import { codexAdapter } from './codex/adapter.ts';
import { codexFormat } from './codex/hook.ts';
import { cursorAdapter } from './cursor/adapter.ts';
import { cursorFormat } from './cursor/hook.ts';
import { geminiAdapter } from './gemini/adapter.ts';
import { geminiFormat } from './gemini/hook.ts';
import { toolGroups } from './hook-entries.ts';
import type { HookFormat, ToolGroup } from './hook-entries.ts';
import { opencodeAdapter } from './opencode/adapter.ts';

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

const adapters: Readonly<Record<AgentHost, HostAdapter>> = {
  claude: claudeAdapter,
  codex: codexAdapter,
  gemini: geminiAdapter,
  cursor: cursorAdapter,
  opencode: opencodeAdapter,
};

/** The adapter of a host, or undefined for a name that is none. */
export function adapterOf(host: string): HostAdapter | undefined {
  return isHost(host) ? adapters[host] : undefined;
}
