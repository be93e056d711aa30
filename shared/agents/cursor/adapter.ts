import { compile, s } from '../../base/index.ts';
import type { Static, StaticFields } from '../../base/index.ts';
import type { CallContext, HookEvent, HostAdapter } from '../../wire/index.ts';
import {
  eventCheck,
  folderSchema,
  idSchema,
  must,
  oneText,
  serverTool,
  textSchema,
} from '../call.ts';
import { cursorHook } from './hook.ts';

/** `afterFileEdit` and the like cannot be answered, so nobody should ask. */
const checkEvent = eventCheck(['beforeShellExecution', 'beforeMCPExecution', 'beforeReadFile']);

const baseFields = {
  conversation_id: idSchema,
  workspace_roots: s.filled(folderSchema),
};
type CursorBase = StaticFields<typeof baseFields>;

const shell = s.open({
  ...baseFields,
  command: textSchema,
  /** May be empty: then it is the first of the workspace's folders. */
  cwd: s.union(folderSchema, s.literal('')),
});
const checkShell = compile(shell);

const mcp = s.open({
  ...baseFields,
  tool_name: idSchema,
  /** The input as JSON text. */
  tool_input: s.string(),
  /** The server's address or command line, as far as Cursor tells it. */
  url: s.optional(s.string()),
  command: s.optional(s.string()),
});
type CursorMcp = Static<typeof mcp>;
const checkMcp = compile(mcp);

const { title: host, answer } = cursorHook;

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
export const cursorAdapter: HostAdapter = { rewrites: false, shell: oneText, read, answer };
