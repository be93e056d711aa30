import { hosts } from './types.ts';
import type { AgentHost } from './types.ts';

/** Whether it is the name of a host that Interlock knows. */
export function isHost(name: string): name is AgentHost {
  return (hosts as readonly string[]).includes(name);
}
