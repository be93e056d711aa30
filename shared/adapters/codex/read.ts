import type { ToolCall } from '../../tools/types.ts';
import { serverTool, splitServerTool } from '../call/calls.ts';
import { patching } from '../call/patch.ts';
import { must } from '../must.ts';
import { hostNames } from '../names.ts';
import { checkSessionEnd } from '../schemas.ts';
import type { CallContext, HookEvent } from '../types.ts';
import { checkCommand, checkEvent, checkPreToolUse } from './schema.ts';
import type { CodexPreToolUse } from './schema.ts';

const host = hostNames.codex;

/** What Codex told its hook. It tells of shells, patches and servers' tools only. */
export function read(input: unknown): HookEvent {
  const { hook_event_name: event } = must(checkEvent, input, host);
  if (event === 'SessionEnd')
    return { kind: 'session-ended', session: must(checkSessionEnd, input, host).session_id };
  const told = must(checkPreToolUse, input, host);
  const context = contextOf(told);
  if (told.tool_name === 'Bash')
    return { kind: 'command', command: must(checkCommand, told.tool_input, host).command, context };
  return { kind: 'tool', call: callOf(told), context };
}

function callOf({ tool_name, tool_input }: CodexPreToolUse): ToolCall {
  if (tool_name === 'apply_patch')
    return patching(tool_name, must(checkCommand, tool_input, host).command);
  const named = splitServerTool(tool_name, 'mcp__', '__');
  return named === null
    ? serverTool('codex', tool_name, tool_input)
    : serverTool(named.server, named.tool, tool_input);
}

function contextOf({ session_id, tool_use_id, cwd }: CodexPreToolUse): CallContext {
  return { session: session_id, toolUseId: tool_use_id ?? null, statedReason: null, cwd };
}
