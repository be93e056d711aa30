import type { RequestKind } from '../policy/types.ts';

/** What an agent may do with a tool of its own, besides running commands. */
export const toolKinds = ['edit', 'fetch', 'mcp'] as const satisfies readonly RequestKind[];
export type ToolKind = (typeof toolKinds)[number];

/**
 * One use of a tool that the agent's host carries out itself. The gate decides and records; it runs
 * nothing. Everything here is untrusted text.
 */
export interface ToolCall {
  readonly kind: ToolKind;
  /** The host's name of the tool: `Edit`, `WebFetch`, `create_issue`. */
  readonly tool: string;
  /**
   * What it is used on, and what rules are held against: the path of a file for `edit` (absolute or
   * relative to the working folder), an address for `fetch`, `server/tool` for `mcp`.
   */
  readonly target: string;
  /** Where one use has several, as a patch of many files: the others. Each is held against the rules. */
  readonly moreTargets?: readonly string[];
  /** What a person should see before saying yes: a diff, the input as JSON, a question. */
  readonly detail: ToolDetail | null;
}

export const detailForms = ['diff', 'content', 'input', 'question'] as const;

export interface ToolDetail {
  readonly form: (typeof detailForms)[number];
  readonly text: string;
}

/** A tool as the "program" of a stage: rules are held against its target. */
export interface ToolInUse {
  readonly kind: 'tool';
  readonly use: ToolKind;
  readonly name: string;
  /** With the real path of a file, or the normal form of an address. */
  readonly target: string;
}
