import { limitsFor } from '../../../../shared/agents/health.ts';
import type { HookFormat, ToolGroup } from '../../../../shared/agents/hook-entries.ts';
import { defaultAskSeconds } from '../stage.ts';

/** The hooks as the installer writes them into a host's settings; without the end of a session. */
export function hookSettings(
  format: HookFormat,
  command: string,
  tools: readonly ToolGroup[] = format.tools,
): Readonly<Record<string, readonly unknown[]>> {
  const entries = format
    .entries({ command, seconds: limitsFor(defaultAskSeconds).host, tools })
    .filter(({ event }) => event.toLowerCase() !== 'sessionend');
  return Object.fromEntries(entries.map(({ event, value }) => [event, [value]]));
}
