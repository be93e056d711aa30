import { claudeAdapter } from './claude/adapter.ts';
import { codexAdapter } from './codex/adapter.ts';
import { cursorAdapter } from './cursor/adapter.ts';
import { geminiAdapter } from './gemini/adapter.ts';
import { isHost } from './is-host.ts';
import { opencodeAdapter } from './opencode/adapter.ts';
import type { AgentHost, HostAdapter } from './types.ts';

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
