import type { AgentHost } from '../adapters/types.ts';

/** What of an agent can be put behind the gate. */
export const toolGroups = ['shell', 'edit', 'fetch', 'mcp'] as const;
export type ToolGroup = (typeof toolGroups)[number];

/** What is to stand in a host's settings. */
export interface HookPlan {
  /** The line that the host starts; made by `hookCommand`. */
  readonly command: string;
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
  readonly host: AgentHost;
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
  /** Whether a handler has what makes a hook that fails a refusal, apart from its command. */
  readonly failsClosed: (handler: Readonly<Record<string, unknown>>) => boolean;
  /** What else in the file takes the hook away, as sentences. */
  readonly objections: (settings: Readonly<Record<string, unknown>>) => readonly string[];
  /** What has to stand in the file for a plan. */
  readonly entries: (plan: HookPlan) => readonly HookEntry[];
}
