import { compile } from '../../schema/compile.ts';
import { eventCheck, folderSchema, idSchema, openObject, textSchema } from '../schemas.ts';

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;

export const checkEvent = eventCheck(['PreToolUse', 'SessionEnd']);

export interface ClaudePreToolUse {
  readonly session_id: string;
  readonly cwd: string;
  readonly tool_name: string;
  readonly tool_input: Readonly<Record<string, unknown>>;
  readonly tool_use_id?: string;
}

/** `PreToolUse` of Claude Code 2.1.329; it has more fields, and gets new ones. */
export const checkPreToolUse = compile<ClaudePreToolUse>(
  openObject(
    {
      session_id: idSchema,
      cwd: folderSchema,
      tool_name: idSchema,
      tool_input: { type: 'object' },
      tool_use_id: idSchema,
    },
    ['session_id', 'cwd', 'tool_name', 'tool_input'],
  ),
);

/** Tools that run shell text: `Bash`, and `Monitor` where it has a command. */
export const checkCommand = compile<{ readonly command: string; readonly description?: string }>(
  openObject({ command: textSchema, description: text }, ['command']),
);

export interface ClaudeEdit {
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all?: boolean;
}
const edit = openObject({ old_string: text, new_string: text, replace_all: flag }, [
  'old_string',
  'new_string',
]);

export const checkEdit = compile<ClaudeEdit & { readonly file_path: string }>({
  ...edit,
  required: ['file_path', 'old_string', 'new_string'],
  properties: { ...(edit['properties'] as object), file_path: textSchema },
});

export const checkMultiEdit = compile<{
  readonly file_path: string;
  readonly edits: readonly ClaudeEdit[];
}>(openObject({ file_path: textSchema, edits: { type: 'array', minItems: 1, items: edit } }));

export const checkWrite = compile<{ readonly file_path: string; readonly content: string }>(
  openObject({ file_path: textSchema, content: text }),
);

export const checkNotebookEdit = compile<{
  readonly notebook_path: string;
  readonly new_source: string;
}>(openObject({ notebook_path: textSchema, new_source: text }));

export const checkWebFetch = compile<{ readonly url: string; readonly prompt?: string }>(
  openObject({ url: textSchema, prompt: text }, ['url']),
);

export const checkWebSearch = compile<{ readonly query: string }>(
  openObject({ query: textSchema }),
);
