import type { ToolCall } from '../../tools/types.ts';
import {
  fetching,
  replacing,
  searching,
  serverTool,
  splitServerTool,
  writing,
} from '../call/calls.ts';
import type { Replacement } from '../call/calls.ts';
import { statedReason } from '../call/reason.ts';
import { must } from '../must.ts';
import { hostNames } from '../names.ts';
import { checkSessionEnd } from '../schemas.ts';
import type { CallContext, HookEvent } from '../types.ts';
import {
  checkCommand,
  checkEdit,
  checkEvent,
  checkMultiEdit,
  checkNotebookEdit,
  checkPreToolUse,
  checkWebFetch,
  checkWebSearch,
  checkWrite,
} from './schema.ts';
import type { ClaudeEdit, ClaudePreToolUse } from './schema.ts';
import { freeTools, shellTools } from './tools.ts';

const host = hostNames.claude;

type ToolReader = (input: unknown) => ToolCall;

const readers: Readonly<Record<string, ToolReader>> = {
  Edit: (input) => {
    const edit = must(checkEdit, input, host);
    return replacing('Edit', edit.file_path, [replacementOf(edit)]);
  },
  MultiEdit: (input) => {
    const { file_path, edits } = must(checkMultiEdit, input, host);
    return replacing('MultiEdit', file_path, edits.map(replacementOf));
  },
  Write: (input) => {
    const { file_path, content } = must(checkWrite, input, host);
    return writing('Write', file_path, content);
  },
  NotebookEdit: (input) => {
    const { notebook_path, new_source } = must(checkNotebookEdit, input, host);
    return writing('NotebookEdit', notebook_path, new_source);
  },
  WebFetch: (input) => {
    const { url, prompt } = must(checkWebFetch, input, host);
    return fetching('WebFetch', url, prompt ?? null);
  },
  WebSearch: (input) => searching('WebSearch', must(checkWebSearch, input, host).query),
};

/** What Claude Code told its hook. */
export function read(input: unknown): HookEvent {
  const { hook_event_name: event } = must(checkEvent, input, host);
  if (event === 'SessionEnd')
    return { kind: 'session-ended', session: must(checkSessionEnd, input, host).session_id };
  const told = must(checkPreToolUse, input, host);
  if (freeTools.has(told.tool_name)) return { kind: 'not-gated' };
  if (runsShell(told)) {
    const { command, description } = must(checkCommand, told.tool_input, host);
    return { kind: 'command', command, context: contextOf(told, description) };
  }
  return { kind: 'tool', call: callOf(told), context: contextOf(told) };
}

/** Monitor may also watch a socket: that is no command. */
function runsShell({ tool_name, tool_input }: ClaudePreToolUse): boolean {
  return shellTools.has(tool_name) && (tool_name === 'Bash' || 'command' in tool_input);
}

function callOf({ tool_name, tool_input }: ClaudePreToolUse): ToolCall {
  const reader = Object.hasOwn(readers, tool_name) ? readers[tool_name] : undefined;
  if (reader !== undefined) return reader(tool_input);
  const named = splitServerTool(tool_name, 'mcp__', '__');
  return named === null
    ? serverTool('claude', tool_name, tool_input)
    : serverTool(named.server, named.tool, tool_input);
}

function contextOf(told: ClaudePreToolUse, reason?: string): CallContext {
  return {
    session: told.session_id,
    toolUseId: told.tool_use_id ?? null,
    statedReason: statedReason(reason),
    cwd: told.cwd,
  };
}

function replacementOf({ old_string, new_string, replace_all }: ClaudeEdit): Replacement {
  return { before: old_string, after: new_string, everywhere: replace_all === true };
}
