import type { AgentHost } from '../adapters/types.ts';

/** What is said where a host has the hook for the person and for a folder as well. */
export function askedTwice(host: AgentHost): string {
  return `It has the hook for you and for this folder, so every use is asked about twice. Take one out: interlock uninstall ${host} --project`;
}
