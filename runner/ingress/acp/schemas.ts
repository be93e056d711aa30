import { compile } from '../../../shared/base/index.ts';
import type { SchemaObject } from '../../../shared/base/index.ts';

/** Messages of the Agent Client Protocol, versions 1 and 2, as far as the gate needs them. */

const text = { type: 'string' } as const;
const textOrNull = { type: ['string', 'null'] } as const;
const id = { type: 'string', minLength: 1, maxLength: 1024 } as const;

function open(properties: Record<string, SchemaObject>, required: readonly string[]): SchemaObject {
  return { type: 'object', required, properties, additionalProperties: true };
}

/** A tool call, or a change of one: whatever is absent stays as it was told before. */
export interface ToolCallPart {
  readonly toolCallId: string;
  readonly kind?: string | null;
  readonly name?: string | null;
  readonly title?: string | null;
  readonly rawInput?: unknown;
  readonly content?: readonly unknown[] | null;
  readonly locations?: readonly unknown[] | null;
}

const list = { type: ['array', 'null'] } as const;
const toolCall = open(
  {
    toolCallId: id,
    kind: textOrNull,
    name: textOrNull,
    title: textOrNull,
    content: list,
    locations: list,
  },
  ['toolCallId'],
);

export interface PermissionOption {
  readonly optionId: string;
  readonly kind: string;
}

/** `session/request_permission`: `toolCall` in version 1, `subject` in version 2. */
export interface PermissionParams {
  readonly sessionId: string;
  readonly toolCall?: ToolCallPart;
  readonly title?: string;
  readonly description?: string | null;
  readonly subject?: { readonly type: string } | null;
  readonly options: readonly PermissionOption[];
}

export const checkPermission = compile<PermissionParams>(
  open(
    {
      sessionId: id,
      toolCall,
      title: text,
      description: textOrNull,
      subject: { anyOf: [{ type: 'null' }, open({ type: text }, ['type'])] },
      options: {
        type: 'array',
        maxItems: 100,
        items: open({ optionId: text, kind: text }, ['optionId', 'kind']),
      },
    },
    ['sessionId', 'options'],
  ),
);

export const checkCommandSubject = compile<{
  readonly type: 'command';
  readonly command: string;
  readonly cwd: string;
  readonly toolCallId?: string | null;
}>(
  open(
    {
      type: { const: 'command' },
      command: { type: 'string', minLength: 1 },
      cwd: { type: 'string', pattern: '^/' },
      toolCallId: textOrNull,
    },
    ['type', 'command', 'cwd'],
  ),
);

export const checkToolCallSubject = compile<{
  readonly type: 'tool_call';
  readonly toolCall: ToolCallPart;
}>(open({ type: { const: 'tool_call' }, toolCall }, ['type', 'toolCall']));

export const checkToolCallUpdate = compile<{
  readonly sessionId: string;
  readonly update: ToolCallPart;
}>(
  open(
    {
      sessionId: id,
      update: {
        ...toolCall,
        properties: {
          ...(toolCall['properties'] as object),
          sessionUpdate: { enum: ['tool_call', 'tool_call_update'] },
        },
        required: ['toolCallId', 'sessionUpdate'],
      },
    },
    ['sessionId', 'update'],
  ),
);

export interface TerminalParams {
  readonly sessionId: string;
  readonly command: string;
  readonly args?: readonly string[] | null;
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null;
  readonly cwd?: string | null;
}

/** `terminal/create`. */
export const checkTerminal = compile<TerminalParams>(
  open(
    {
      sessionId: id,
      command: { type: 'string', minLength: 1 },
      args: { type: ['array', 'null'], items: text },
      env: {
        type: ['array', 'null'],
        items: open({ name: text, value: text }, ['name', 'value']),
      },
      cwd: { anyOf: [{ type: 'null' }, { type: 'string', pattern: '^/' }] },
    },
    ['sessionId', 'command'],
  ),
);

/** `fs/write_text_file`. */
export const checkWriteFile = compile<{
  readonly sessionId: string;
  readonly path: string;
  readonly content: string;
}>(
  open({ sessionId: id, path: { type: 'string', minLength: 1 }, content: text }, [
    'sessionId',
    'path',
    'content',
  ]),
);

export const checkDiff = compile<{
  readonly type: 'diff';
  readonly path: string;
  readonly oldText?: string | null;
  readonly newText: string;
}>(
  open(
    {
      type: { const: 'diff' },
      path: { type: 'string', minLength: 1 },
      oldText: textOrNull,
      newText: text,
    },
    ['type', 'path', 'newText'],
  ),
);

export const checkLocation = compile<{ readonly path: string }>(
  open({ path: { type: 'string', minLength: 1 } }, ['path']),
);

export const checkSession = compile<{ readonly sessionId: string }>(
  open({ sessionId: id }, ['sessionId']),
);
export const checkFolder = compile<{ readonly cwd: string }>(
  open({ cwd: { type: 'string', pattern: '^/', maxLength: 4096 } }, ['cwd']),
);
export const checkCancelled = compile<{ readonly requestId: string | number }>(
  open({ requestId: { type: ['string', 'integer'] } }, ['requestId']),
);
