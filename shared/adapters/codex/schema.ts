import { compile } from '../../schema/compile.ts';
import { eventCheck, folderSchema, idSchema, openObject, textSchema } from '../schemas.ts';

export const checkEvent = eventCheck(['PreToolUse', 'SessionEnd']);

export interface CodexPreToolUse {
  readonly session_id: string;
  readonly cwd: string;
  readonly tool_name: string;
  /** An object for shells and patches; whatever a server takes for its tools. */
  readonly tool_input: unknown;
  readonly tool_use_id?: string;
}

/** `PreToolUse` of Codex 0.169.0. */
export const checkPreToolUse = compile<CodexPreToolUse>(
  openObject(
    {
      session_id: idSchema,
      cwd: folderSchema,
      tool_name: idSchema,
      tool_input: {},
      tool_use_id: idSchema,
    },
    ['session_id', 'cwd', 'tool_name', 'tool_input'],
  ),
);

/** Shell text, and the text of a patch, which Codex hands over in the same field. */
export const checkCommand = compile<{ readonly command: string }>(
  openObject({ command: textSchema }),
);
