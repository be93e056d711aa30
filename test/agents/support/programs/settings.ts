import type { HookFormat } from '../../../../shared/agents/hook-entries.ts';

/** The hooks as the installer writes them into a host's settings; without the end of a session. */
export function hookSettings(
  format: HookFormat,
  command: string,
): Readonly<Record<string, readonly unknown[]>> {
  const entries = format
    .entries({ command, seconds: 200, tools: format.tools })
    .filter(({ event }) => event.toLowerCase() !== 'sessionend');
  return Object.fromEntries(entries.map(({ event, value }) => [event, [value]]));
}
