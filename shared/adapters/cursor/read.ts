import { serverTool } from '../call/calls.ts';
import { must } from '../must.ts';
import { hostNames } from '../names.ts';
import type { CallContext, HookEvent } from '../types.ts';
import { checkEvent, checkMcp, checkShell } from './schema.ts';
import type { CursorBase, CursorMcp } from './schema.ts';

const host = hostNames.cursor;

/**
 * What Cursor told its hook. It tells the name of a server's tool and not that of the server, so
 * the tools of all servers are `cursor/NAME`.
 */
export function read(input: unknown): HookEvent {
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
