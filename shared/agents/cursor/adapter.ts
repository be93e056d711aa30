import { compile } from '../../base/index.ts';
import { hostNames } from '../../wire/index.ts';
import type { CallContext, HookEvent, HostAdapter } from '../../wire/index.ts';
import {
  eventCheck,
  folderSchema,
  idSchema,
  must,
  openObject,
  serverTool,
  textSchema,
} from '../call.ts';
import { answer } from './hook.ts';

/** `afterFileEdit` and the like cannot be answered, so nobody should ask. */
const checkEvent = eventCheck(['beforeShellExecution', 'beforeMCPExecution', 'beforeReadFile']);

/** What every event has. */
interface CursorBase {
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
const checkShell = compile<CursorShell>(
  openObject({
    ...base,
    command: textSchema,
    cwd: { anyOf: [folderSchema, { const: '' }] },
  }),
);

interface CursorMcp extends CursorBase {
  readonly tool_name: string;
  /** The input as JSON text. */
  readonly tool_input: string;
  /** The server's address or command line, as far as Cursor tells it. */
  readonly url?: string;
  readonly command?: string;
}
const checkMcp = compile<CursorMcp>(
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

const host = hostNames.cursor;

/**
 * What Cursor told its hook. It tells the name of a server's tool and not that of the server, so
 * the tools of all servers are `cursor/NAME`.
 */
function read(input: unknown): HookEvent {
  const { hook_event_name: event } = must(checkEvent, input, host);
  if (event === 'beforeReadFile') return { kind: 'not-gated' };
  if (event === 'beforeShellExecution') {
    const told = must(checkShell, input, host);
    return { kind: 'command', command: told.command, context: contextOf(told, told.cwd) };
  }
  const told = must(checkMcp, input, host);
  const call = serverTool('cursor', told.tool_name, mcpInput(told));
  return { kind: 'tool', call, context: contextOf(told, '') };
}

/** With the server as far as it is told, so that a person can tell servers apart. */
function mcpInput({ tool_input, url, command }: CursorMcp): unknown {
  return {
    ...(url === undefined ? {} : { server: url }),
    ...(command === undefined ? {} : { server: command }),
    input: parsed(tool_input),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function contextOf({ conversation_id, workspace_roots }: CursorBase, cwd: string): CallContext {
  return {
    session: conversation_id,
    toolUseId: null,
    statedReason: null,
    cwd: cwd === '' ? workspace_roots[0] : cwd,
  };
}

/** Cursor: its hooks `beforeShellExecution` and `beforeMCPExecution`. */
export const cursorAdapter: HostAdapter = { host: 'cursor', rewrites: false, read, answer };
