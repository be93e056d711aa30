import { compile } from '../../schema/compile.ts';
import { eventCheck, folderSchema, idSchema, openObject, textSchema } from '../schemas.ts';

const text = { type: 'string' } as const;

export const checkEvent = eventCheck(['BeforeTool', 'SessionEnd']);

export interface GeminiBeforeTool {
  readonly session_id: string;
  readonly cwd: string;
  readonly tool_name: string;
  readonly tool_input: Readonly<Record<string, unknown>>;
  /** Of a server's tool: which server it is, and what the tool is called there. */
  readonly mcp_context?: { readonly server_name: string; readonly tool_name: string };
}

/** `BeforeTool` of Gemini CLI 0.61. */
export const checkBeforeTool = compile<GeminiBeforeTool>(
  openObject(
    {
      session_id: idSchema,
      cwd: folderSchema,
      tool_name: idSchema,
      tool_input: { type: 'object' },
      mcp_context: openObject({ server_name: idSchema, tool_name: idSchema }),
    },
    ['session_id', 'cwd', 'tool_name', 'tool_input'],
  ),
);

export interface GeminiCommand {
  readonly command: string;
  readonly description?: string;
  /** Where the command runs, from the working folder. */
  readonly dir_path?: string;
}
export const checkCommand = compile<GeminiCommand>(
  openObject({ command: textSchema, description: text, dir_path: text }, ['command']),
);

export const checkReplace = compile<{
  readonly file_path: string;
  readonly old_string: string;
  readonly new_string: string;
  readonly allow_multiple?: boolean;
}>(
  openObject(
    {
      file_path: textSchema,
      old_string: text,
      new_string: text,
      allow_multiple: { type: 'boolean' },
    },
    ['file_path', 'old_string', 'new_string'],
  ),
);

export const checkWriteFile = compile<{ readonly file_path: string; readonly content: string }>(
  openObject({ file_path: textSchema, content: text }),
);

/** The addresses stand in the words, or in a field of their own. */
export const checkWebFetch = compile<{ readonly prompt?: string; readonly url?: string }>(
  openObject({ prompt: text, url: text }, []),
);

export const checkWebSearch = compile<{ readonly query: string }>(
  openObject({ query: textSchema }),
);
