import { claudeAdapter } from './claude/adapter.ts';
import { isHost } from './is-host.ts';
import type { AgentHost, HostAdapter } from './types.ts';

const adapters: Readonly<Partial<Record<AgentHost, HostAdapter>>> = { claude: claudeAdapter };

/** The adapter of a host, or undefined for a name that is none. */
export function adapterOf(host: string): HostAdapter | undefined {
  return isHost(host) ? adapters[host] : undefined;
}
