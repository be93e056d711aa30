import type { HookAnswer, HostAdapter } from '../wire/index.ts';
import type { HookFormat, ToolGroup } from './hook-entries.ts';
import type { HostHook, HostRecord } from './host.ts';
import { hostHooks, hostRecords } from './list.ts';
import type { AgentHost } from './list.ts';

/** The names of all hosts, in the order of the list. */
export const hosts = Object.keys(hostHooks) as readonly AgentHost[];

/** Whether it is the name of a host that Interlock knows. */
export function isHost(name: string): name is AgentHost {
  return (hosts as readonly string[]).includes(name);
}

/** What people call a host. */
export function titleOf(host: AgentHost): string {
  return hostHooks[host].title;
}

/**
 * A refusal in the host's words, for a hook that has no answer of the gate: nobody could be asked,
 * so nothing is allowed. `text` says what is wrong and what to do. Loads no schema, so that a hook
 * program can say it at once.
 */
export function failClosed(host: AgentHost, text: string): HookAnswer {
  const { answer }: HostHook = hostHooks[host];
  return answer({ kind: 'refused', text }, undefined);
}

/** Whether a host runs a tool when the shell around its hook has died. */
export function runsWithoutShell(host: AgentHost): boolean {
  const hook: HostHook = hostHooks[host];
  return hook.runsWithoutShell === true;
}

/** All else that Interlock knows of a host. */
export function recordOf(host: AgentHost): HostRecord {
  return hostRecords[host];
}

/** How a host keeps hooks in a JSON file; null where it has a plugin instead. */
export function hookFormatOf(host: AgentHost): HookFormat | null {
  const { keeping } = hostRecords[host];
  return keeping.kind === 'settings' ? keeping.format : null;
}

/** What of an agent a host tells its hooks about. */
export function toolsOf(host: AgentHost): readonly ToolGroup[] {
  const { keeping } = hostRecords[host];
  return keeping.kind === 'settings' ? keeping.format.tools : keeping.tools;
}

/** The adapter of a host, or undefined for a name that is none. */
export function adapterOf(host: string): HostAdapter | undefined {
  return isHost(host) ? hostRecords[host].adapter : undefined;
}

/** Names as a sentence offers them: "a, b or c". */
export function alternatives(names: readonly string[]): string {
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1) ?? ''}`;
}
