import { hookCommand } from '../adapters/hook-command.ts';
import type { FoundHook } from './find.ts';
import type { HookFormat } from './types.ts';

/**
 * Why a hook that stands in a host's settings does not hold, as sentences; none where it does.
 * Pure: what else is on the machine is not looked at.
 */
export function reviewHooks(
  found: readonly FoundHook[],
  settings: Readonly<Record<string, unknown>>,
  format: HookFormat,
): readonly string[] {
  const gating = found.filter(({ event }) => format.gates.includes(event));
  if (gating.length === 0) return ['The hook that holds its tools is missing.'];
  return [...format.objections(settings), ...gating.flatMap((one) => weaknesses(one, format))];
}

function weaknesses(
  { event, command, fields }: FoundHook,
  { perSecond, failsClosed }: HookFormat,
): readonly string[] {
  const { timeout } = fields;
  const waits = typeof timeout === 'number' && timeout > command.wait * perSecond;
  const isWhole = fields['command'] === hookCommand(command) && failsClosed(fields);
  return [
    ...(isWhole ? [] : [`Where the hook for ${event} fails, the host goes on without it.`]),
    ...(waits ? [] : [`The host waits for the hook for ${event} no longer than the hook itself.`]),
  ];
}
