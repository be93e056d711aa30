import { compile } from '../../schema/compile.ts';
import { folderSchema, idSchema, openObject, textSchema } from '../schemas.ts';

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;

/** What our plugin writes to the hook. It is ours, so the schema is closed. */
export type OpenCodeInput =
  | {
      readonly version: 1;
      readonly event: 'tool';
      readonly tool: string;
      readonly sessionID: string;
      readonly callID: string;
      readonly directory: string;
      readonly args: Readonly<Record<string, unknown>>;
    }
  | { readonly version: 1; readonly event: 'session-ended'; readonly sessionID: string };

export const checkInput = compile<OpenCodeInput>({
  oneOf: [
    {
      type: 'object',
      additionalProperties: false,
      required: ['version', 'event', 'tool', 'sessionID', 'callID', 'directory', 'args'],
      properties: {
        version: { const: 1 },
        event: { const: 'tool' },
        tool: idSchema,
        sessionID: idSchema,
        callID: idSchema,
        directory: folderSchema,
        args: { type: 'object' },
      },
    },
    {
      type: 'object',
      additionalProperties: false,
      required: ['version', 'event', 'sessionID'],
      properties: {
        version: { const: 1 },
        event: { const: 'session-ended' },
        sessionID: idSchema,
      },
    },
  ],
});

/** OpenCode's own tools are OpenCode's to change: open. */
export const checkBash = compile<{
  readonly command: string;
  readonly description?: string;
  readonly workdir?: string;
}>(openObject({ command: textSchema, description: text, workdir: text }, ['command']));

export interface OpenCodeEdit {
  readonly oldString: string;
  readonly newString: string;
  readonly replaceAll?: boolean;
}
export const checkEdit = compile<OpenCodeEdit & { readonly filePath: string }>(
  openObject({ filePath: textSchema, oldString: text, newString: text, replaceAll: flag }, [
    'filePath',
    'oldString',
    'newString',
  ]),
);

export const checkWrite = compile<{ readonly filePath: string; readonly content: string }>(
  openObject({ filePath: textSchema, content: text }),
);

export const checkPatch = compile<{ readonly patchText: string }>(
  openObject({ patchText: textSchema }),
);

export const checkWebFetch = compile<{ readonly url: string }>(openObject({ url: textSchema }));

export const checkWebSearch = compile<{ readonly query: string }>(
  openObject({ query: textSchema }),
);
