import { claudeAdapter } from './claude/adapter.ts';
import { hosts } from './types.ts';
import type { AgentHost, HostAdapter } from './types.ts';

const adapters: Readonly<Partial<Record<AgentHost, HostAdapter>>> = { claude: claudeAdapter };

/** The adapter of a host, or undefined for a name that is none. */
export function adapterOf(host: string): HostAdapter | undefined {
  return isHost(host) ? adapters[host] : undefined;
}

/** Whether it is the name of a host that Interlock knows. */
export function isHost(name: string): name is AgentHost {
  return (hosts as readonly string[]).includes(name);
}
