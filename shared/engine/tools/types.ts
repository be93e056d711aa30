import { s } from '../../base/index.ts';
import type { Static, StaticFields } from '../../base/index.ts';
import type { RequestKind } from '../policy/types.ts';

/** What an agent may do with a tool of its own, besides running commands. */
export const toolKinds = ['edit', 'fetch', 'mcp'] as const satisfies readonly RequestKind[];
export type ToolKind = (typeof toolKinds)[number];

const detailForms = ['diff', 'content', 'input', 'question'] as const;

/** What a use of a tool would do. */
export const toolDetailSchema = s.object({ form: s.oneOf(detailForms), text: s.string() });
export type ToolDetail = Static<typeof toolDetailSchema>;

const target = s.string({ minLength: 1, maxLength: 16_384, pattern: '^[^\\u0000]*$' });

/**
 * One use of a tool that the agent's host carries out itself. The gate decides and records; it runs
 * nothing. Everything here is untrusted text.
 */
export const toolCallFields = {
  kind: s.oneOf(toolKinds),
  /** The host's name of the tool: `Edit`, `WebFetch`, `create_issue`. */
  tool: s.string({ minLength: 1, maxLength: 256, pattern: '^[^\\u0000]*$' }),
  /**
   * What it is used on, and what rules are held against: the path of a file for `edit` (absolute or
   * relative to the working folder), an address for `fetch`, `server/tool` for `mcp`.
   */
  target,
  /** Where one use has several, as a patch of many files: the others. Each is held against the rules. */
  moreTargets: s.optional(s.array(target, { maxItems: 1_000 })),
  /** What a person should see before saying yes: a diff, the input as JSON, a question. */
  detail: s.nullable(toolDetailSchema),
};
export type ToolCall = StaticFields<typeof toolCallFields>;

/** A tool as the "program" of a stage: rules are held against its target. */
export interface ToolInUse {
  readonly kind: 'tool';
  readonly use: ToolKind;
  readonly name: string;
  /** With the real path of a file, or the normal form of an address. */
  readonly target: string;
}
