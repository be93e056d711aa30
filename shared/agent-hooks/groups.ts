import type { HookEntry, HookPlan, ToolGroup } from './types.ts';
import { toolGroups } from './types.ts';

/** How long a hook for the end of a session may take, in seconds; hosts do not wait long then. */
const endSeconds = 3;

/** A list of hooks with what they are for, as Claude Code made it and others took over. */
export interface HookGroup {
  readonly event: string;
  /** Absent: for all tools. */
  readonly matcher?: string;
  readonly handler: Readonly<Record<string, unknown>>;
}

export function groupEntry({ event, matcher, handler }: HookGroup): HookEntry {
  const value = { ...(matcher === undefined ? {} : { matcher }), hooks: [handler] };
  return { event, value };
}

/** The hook that says that a session is over, so that what was allowed for it ends. */
export function sessionEnd(
  { command }: HookPlan,
  perSecond: number,
  more: Readonly<Record<string, unknown>> = {},
): HookEntry {
  const handler = { type: 'command', command, timeout: endSeconds * perSecond, ...more };
  return groupEntry({ event: 'SessionEnd', handler });
}

/**
 * A regular expression for whole names of tools; undefined for all tools, which also covers those
 * that nobody knows yet.
 */
export function matcherFor(
  tools: readonly ToolGroup[],
  names: Readonly<Partial<Record<ToolGroup, readonly string[]>>>,
): string | undefined {
  const offered = toolGroups.filter((group) => names[group] !== undefined);
  if (offered.every((group) => tools.includes(group))) return undefined;
  const wanted = offered.filter((group) => tools.includes(group));
  return `^(?:${wanted.flatMap((group) => names[group] ?? []).join('|')})$`;
}
