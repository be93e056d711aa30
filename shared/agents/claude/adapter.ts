import { compile, s } from '../../base/index.ts';
import type { Static } from '../../base/index.ts';
import type { ToolCall } from '../../engine/index.ts';
import type { CallContext, HookEvent, HostAdapter } from '../../wire/index.ts';
import {
  checkPrompt,
  checkSessionEnd,
  commonReaders,
  eventCheck,
  fetching,
  idSchema,
  must,
  replacing,
  statedReason,
  textSchema,
  toolCallOf,
  toolEventFields,
  writing,
} from '../call.ts';
import type { Replacement, ToolReaders } from '../call.ts';
import { claudeHook } from './hook.ts';

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

const checkEvent = eventCheck(['PreToolUse', 'SessionEnd', 'UserPromptSubmit']);

/** `PreToolUse` of Claude Code 2.1.329; it has more fields, and gets new ones. */
const preToolUse = s.open({
  ...toolEventFields,
  tool_use_id: s.optional(idSchema),
});
type ClaudePreToolUse = Static<typeof preToolUse>;
const checkPreToolUse = compile(preToolUse);

/** Tools that run shell text: `Bash`, and `Monitor` where it has a command. */
const checkCommand = compile(s.open({ command: textSchema, description: s.optional(s.string()) }));

const editFields = {
  old_string: s.string(),
  new_string: s.string(),
  replace_all: s.optional(s.boolean()),
};
const edit = s.open(editFields);
type ClaudeEdit = Static<typeof edit>;

const checkEdit = compile(s.open({ ...editFields, file_path: textSchema }));

const checkMultiEdit = compile(
  s.open({ file_path: textSchema, edits: s.array(edit, { minItems: 1 }) }),
);

const checkNotebookEdit = compile(s.open({ notebook_path: textSchema, new_source: s.string() }));

const checkWebFetch = compile(s.open({ url: textSchema, prompt: s.optional(s.string()) }));

const { title: host, answer } = claudeHook;
const common = commonReaders(host);

const readers: ToolReaders = {
  Edit: (input) => {
    const told = must(checkEdit, input, host);
    return replacing('Edit', told.file_path, [replacementOf(told)]);
  },
  MultiEdit: (input) => {
    const { file_path, edits } = must(checkMultiEdit, input, host);
    return replacing('MultiEdit', file_path, edits.map(replacementOf));
  },
  Write: common.writes('Write'),
  NotebookEdit: (input) => {
    const { notebook_path, new_source } = must(checkNotebookEdit, input, host);
    return writing('NotebookEdit', notebook_path, new_source);
  },
  WebFetch: (input) => {
    const { url, prompt } = must(checkWebFetch, input, host);
    return fetching('WebFetch', url, prompt ?? null);
  },
  WebSearch: common.searches('WebSearch'),
};

/** What Claude Code told its hook. */
function read(input: unknown): HookEvent {
  const { hook_event_name: event } = must(checkEvent, input, host);
  if (event === 'SessionEnd')
    return { kind: 'session-ended', session: must(checkSessionEnd, input, host).session_id };
  if (event === 'UserPromptSubmit') {
    const { prompt, session_id } = must(checkPrompt, input, host);
    return { kind: 'prompt', text: prompt, session: session_id };
  }
  const told = must(checkPreToolUse, input, host);
  if (freeTools.has(told.tool_name)) return { kind: 'not-gated' };
  if (runsShell(told)) {
    const { command, description } = must(checkCommand, told.tool_input, host);
    return { kind: 'command', command, context: contextOf(told, description) };
  }
  return { kind: 'tool', call: callOf(told), context: contextOf(told) };
}

/** Monitor may also watch a socket: that is not a command. */
function runsShell({ tool_name, tool_input }: ClaudePreToolUse): boolean {
  return shellTools.has(tool_name) && (tool_name === 'Bash' || 'command' in tool_input);
}

function callOf({ tool_name: name, tool_input: input }: ClaudePreToolUse): ToolCall {
  return toolCallOf({ name, input }, readers, { name: 'claude', prefix: 'mcp__', between: '__' });
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

/** Claude Code: its hooks `PreToolUse`, `UserPromptSubmit` and `SessionEnd`. */
export const claudeAdapter: HostAdapter = {
  rewrites: true,
  // Its output is one file already.
  shell: { lastingFolder: true, oneStream: false },
  read,
  answer,
};
