import { isFields } from '../engine/index.ts';

/** What of an agent can be put behind the gate. */
export const toolGroups = ['shell', 'edit', 'fetch', 'mcp'] as const;
export type ToolGroup = (typeof toolGroups)[number];

/** What is to stand in a host's settings. */
export interface HookPlan {
  /** The line that the host starts; made by `hookCommand`. */
  readonly command: string;
  /** The line for what is typed to the agent; absent: the host is not to tell of it. */
  readonly prompt?: string;
  /** Whole seconds that the host waits for it. */
  readonly seconds: number;
  readonly tools: readonly ToolGroup[];
}

/** One place in the lists of hooks: what stands at `hooks[event][…]`. */
export interface HookEntry {
  readonly event: string;
  readonly value: unknown;
}

/** How one host keeps hooks in a JSON file. Pure. */
export interface HookFormat {
  /** What of an agent this host tells its hooks about. */
  readonly tools: readonly ToolGroup[];
  /** Whether the host reads comments and trailing commas. */
  readonly comments: boolean;
  /** What a new file starts with. */
  readonly root: Readonly<Record<string, unknown>>;
  /** The events by which tools are held; the rest is told for other ends. */
  readonly gates: readonly string[];
  /** What the host counts its limits in, per second. */
  readonly perSecond: number;
  /** The field of a handler with its limit; `timeout` where absent. */
  readonly limit?: string;
  /** Whether a handler has what makes a hook that fails a refusal, apart from its command. */
  readonly failsClosed: (handler: Readonly<Record<string, unknown>>) => boolean;
  /** What else in the file takes the hook away, as sentences. */
  readonly objections: (settings: Readonly<Record<string, unknown>>) => readonly string[];
  /** What has to stand in the file for a plan. */
  readonly entries: (plan: HookPlan) => readonly HookEntry[];
}

/** How long a hook for the end of a session may take, in seconds; hosts do not wait long then. */
const endSeconds = 3;

/** A list of hooks with what they are for, as Claude Code made it and others took over. */
interface HookGroup {
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
 * The hook that sees what is typed to the agent, so that what is meant for the gate gets there. It waits
 * as long as that for tools, since a person may have to be asked.
 */
export function promptEntries(
  { prompt, seconds }: HookPlan,
  perSecond: number,
): readonly HookEntry[] {
  if (prompt === undefined) return [];
  const handler = { type: 'command', command: prompt, timeout: seconds * perSecond };
  return [groupEntry({ event: 'UserPromptSubmit', handler })];
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

/** Where a hook stands in a host's settings, and what it is. */
export interface HookPlace {
  readonly event: string;
  /** Place in `hooks[event]`. */
  readonly index: number;
  /** Place in the list of handlers there; null for hosts that have no such list. */
  readonly handler: number | null;
  /** What stands at `index`, as it was parsed. */
  readonly entry: Fields;
  /** The handler itself. */
  readonly fields: Fields;
}

export type Fields = Readonly<Record<string, unknown>>;

/** Ends the line of a hook that only decides: the host then runs what is allowed as it came. */
export const decideOnlyFlag = '--decide-only';

/** Ends the line of a hook that sees what is typed, and holds nothing: without an answer it is as if it were not there. */
export const promptFlag = '--prompt';

export function isDecideOnly({ fields: { command } }: Pick<HookPlace, 'fields'>): boolean {
  return typeof command === 'string' && command.includes(` ${decideOnlyFlag} ||`);
}

/** An object's fields; none for every other value. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}
