import { compile, s } from '../../base/index.ts';
import type { Static } from '../../base/index.ts';
import type { ToolCall } from '../../engine/index.ts';
import type { CallContext, HookEvent, HostAdapter } from '../../wire/index.ts';
import {
  commonReaders,
  folderSchema,
  idSchema,
  inputSchema,
  must,
  oneText,
  replacing,
  serverTool,
  statedReason,
  textSchema,
  writing,
} from '../call.ts';
import type { ToolReaders } from '../call.ts';
import { copilotHook } from './hook.ts';

/**
 * Tools that only look, plan or talk to the person, and tools whose own steps are asked about one by
 * one. Copilot CLI's rules decide about them. A tool that is in no list is asked about.
 */
const freeTools: ReadonlySet<string> = new Set([
  'view',
  'grep',
  'glob',
  'rg',
  'read_bash',
  'stop_bash',
  'list_bash',
  'read_powershell',
  'stop_powershell',
  'list_powershell',
  'task',
  'read_agent',
  'list_agents',
  'write_agent',
  'skill',
  'report_intent',
  'update_todo',
  'ask_user',
  'exit_plan_mode',
  'session_store_sql',
  'fetch_copilot_cli_documentation',
]);

/** `preToolUse` of Copilot CLI 1.0.102; its name stands in the file of hooks only. */
const toolUse = s.open({
  sessionId: idSchema,
  cwd: folderSchema,
  toolName: idSchema,
  toolArgs: inputSchema,
});
type ToolUse = Static<typeof toolUse>;

/** `sessionEnd`, which names no tool. */
const sessionEnd = s.open({ sessionId: idSchema, reason: s.string() });

const checkToolUse = compile(toolUse);
const checkSessionEnd = compile(sessionEnd);

const checkCommand = compile(s.open({ command: textSchema, description: s.optional(s.string()) }));
const checkCreate = compile(s.open({ path: textSchema, file_text: s.string() }));
const checkEdit = compile(
  s.open({ path: textSchema, old_str: s.string(), new_str: s.optional(s.string()) }),
);

const { title: host, answer } = copilotHook;
const common = commonReaders(host);

const readers: ToolReaders = {
  create: (args) => {
    const { path, file_text } = must(checkCreate, args, host);
    return writing('create', path, file_text);
  },
  edit: (args) => {
    const { path, old_str, new_str = '' } = must(checkEdit, args, host);
    return replacing('edit', path, [{ before: old_str, after: new_str, everywhere: false }]);
  },
  apply_patch: common.patches('apply_patch'),
  web_fetch: common.fetches('web_fetch'),
  web_search: common.searches('web_search'),
};

/**
 * What Copilot CLI told its hook. It names a server's tool `SERVER-TOOL`, which cannot be taken apart
 * with certainty, so such a tool is `copilot/SERVER-TOOL`, as is every tool that is not known here.
 */
function read(input: unknown): HookEvent {
  const ended = checkSessionEnd(input);
  if (ended.ok && !Object.hasOwn(ended.value, 'toolName'))
    return { kind: 'session-ended', session: ended.value.sessionId };
  const told = must(checkToolUse, input, host);
  const { toolName, toolArgs } = told;
  if (freeTools.has(toolName)) return { kind: 'not-gated' };
  if (toolName !== 'bash' && toolName !== 'powershell')
    return { kind: 'tool', call: callOf(told), context: contextOf(told) };
  const { command, description } = must(checkCommand, toolArgs, host);
  return { kind: 'command', command, context: contextOf(told, description) };
}

function callOf({ toolName, toolArgs }: ToolUse): ToolCall {
  const reader = Object.hasOwn(readers, toolName) ? readers[toolName] : undefined;
  return reader === undefined ? serverTool('copilot', toolName, toolArgs) : reader(toolArgs);
}

function contextOf({ sessionId, cwd }: ToolUse, reason?: string): CallContext {
  return { session: sessionId, toolUseId: null, statedReason: statedReason(reason), cwd };
}

/** GitHub Copilot CLI: its hooks `preToolUse` and `sessionEnd`. */
export const copilotAdapter: HostAdapter = { rewrites: true, shell: oneText, read, answer };
