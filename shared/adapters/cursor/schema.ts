import { compile } from '../../schema/compile.ts';
import { eventCheck, folderSchema, idSchema, openObject, textSchema } from '../schemas.ts';

/** `afterFileEdit` and the like cannot be answered, so nobody should ask. */
export const checkEvent = eventCheck([
  'beforeShellExecution',
  'beforeMCPExecution',
  'beforeReadFile',
]);

/** What every event has. */
export interface CursorBase {
  readonly conversation_id: string;
  readonly workspace_roots: readonly [string, ...string[]];
}
const base = {
  conversation_id: idSchema,
  workspace_roots: { type: 'array', minItems: 1, items: folderSchema },
};

export interface CursorShell extends CursorBase {
  readonly command: string;
  /** May be empty: then it is the first of the workspace's folders. */
  readonly cwd: string;
}
export const checkShell = compile<CursorShell>(
  openObject({
    ...base,
    command: textSchema,
    cwd: { anyOf: [folderSchema, { const: '' }] },
  }),
);

export interface CursorMcp extends CursorBase {
  readonly tool_name: string;
  /** The input as JSON text. */
  readonly tool_input: string;
  /** The server's address or command line, as far as Cursor tells it. */
  readonly url?: string;
  readonly command?: string;
}
export const checkMcp = compile<CursorMcp>(
  openObject(
    {
      ...base,
      tool_name: idSchema,
      tool_input: { type: 'string' },
      url: { type: 'string' },
      command: { type: 'string' },
    },
    ['conversation_id', 'workspace_roots', 'tool_name', 'tool_input'],
  ),
);
