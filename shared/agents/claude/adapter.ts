import { compile } from '../../base/index.ts';
import type { ToolCall } from '../../engine/index.ts';
import { hostNames } from '../../wire/index.ts';
import type { CallContext, HookEvent, HostAdapter } from '../../wire/index.ts';
import {
  checkSessionEnd,
  eventCheck,
  fetching,
  folderSchema,
  idSchema,
  must,
  openObject,
  replacing,
  searching,
  serverTool,
  splitServerTool,
  statedReason,
  textSchema,
  writing,
} from '../call.ts';
import type { Replacement } from '../call.ts';
import { answer } from './hook.ts';

/** Tools that run shell text in their field `command`. */
const shellTools: ReadonlySet<string> = new Set(['Bash', 'Monitor']);

/**
 * Tools that only look, plan or talk to the person, and tools whose own steps are asked about one by
 * one. Claude Code's rules decide about them. A tool that is in no list is asked about.
 */
const freeTools: ReadonlySet<string> = new Set([
  'Read',
  'Grep',
  'Glob',
  'LS',
  'NotebookRead',
  'TodoRead',
  'TodoWrite',
  'Task',
  'Agent',
  'TaskCreate',
  'TaskGet',
  'TaskList',
  'TaskUpdate',
  'TaskOutput',
  'TaskStop',
  'BashOutput',
  'KillBash',
  'KillShell',
  'AskUserQuestion',
  'EnterPlanMode',
  'ExitPlanMode',
  'ToolSearch',
  'ListMcpResources',
  'ListMcpResourcesTool',
]);

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;

const checkEvent = eventCheck(['PreToolUse', 'SessionEnd']);

interface ClaudePreToolUse {
  readonly session_id: string;
  readonly cwd: string;
  readonly tool_name: string;
  readonly tool_input: Readonly<Record<string, unknown>>;
  readonly tool_use_id?: string;
}

/** `PreToolUse` of Claude Code 2.1.329; it has more fields, and gets new ones. */
const checkPreToolUse = compile<ClaudePreToolUse>(
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
const checkCommand = compile<{ readonly command: string; readonly description?: string }>(
  openObject({ command: textSchema, description: text }, ['command']),
);

interface ClaudeEdit {
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all?: boolean;
}
const editSchema = openObject({ old_string: text, new_string: text, replace_all: flag }, [
  'old_string',
  'new_string',
]);

const checkEdit = compile<ClaudeEdit & { readonly file_path: string }>({
  ...editSchema,
  required: ['file_path', 'old_string', 'new_string'],
  properties: { ...(editSchema['properties'] as object), file_path: textSchema },
});

const checkMultiEdit = compile<{
  readonly file_path: string;
  readonly edits: readonly ClaudeEdit[];
}>(openObject({ file_path: textSchema, edits: { type: 'array', minItems: 1, items: editSchema } }));

const checkWrite = compile<{ readonly file_path: string; readonly content: string }>(
  openObject({ file_path: textSchema, content: text }),
);

const checkNotebookEdit = compile<{
  readonly notebook_path: string;
  readonly new_source: string;
}>(openObject({ notebook_path: textSchema, new_source: text }));

const checkWebFetch = compile<{ readonly url: string; readonly prompt?: string }>(
  openObject({ url: textSchema, prompt: text }, ['url']),
);

const checkWebSearch = compile<{ readonly query: string }>(openObject({ query: textSchema }));

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
function read(input: unknown): HookEvent {
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

/** Claude Code: its hooks `PreToolUse` and `SessionEnd`. */
export const claudeAdapter: HostAdapter = { host: 'claude', rewrites: true, read, answer };
