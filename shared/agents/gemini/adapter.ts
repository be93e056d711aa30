import { compile, s } from '../../base/index.ts';
import type { Static } from '../../base/index.ts';
import { joinPath } from '../../engine/index.ts';
import type { ToolCall } from '../../engine/index.ts';
import type { CallContext, HookEvent, HostAdapter } from '../../wire/index.ts';
import {
  checkSessionEnd,
  commonReaders,
  eventCheck,
  fetchingAll,
  idSchema,
  must,
  replacing,
  oneText,
  serverTool,
  statedReason,
  textSchema,
  toolCallOf,
  toolEventFields,
} from '../call.ts';
import type { ToolReaders } from '../call.ts';
import { geminiHook } from './hook.ts';

/**
 * Tools that only look, plan or talk to the person, and tools whose own steps are asked about one by
 * one. Gemini CLI's rules decide about them. A tool that is in no list is asked about.
 */
const freeTools: ReadonlySet<string> = new Set([
  'read_file',
  'read_many_files',
  'list_directory',
  'glob',
  'grep_search',
  'search_file_content',
  'get_internal_docs',
  'list_mcp_resources',
  'ask_user',
  'write_todos',
  'update_topic',
  'enter_plan_mode',
  'exit_plan_mode',
  'complete_task',
  'invoke_agent',
  'tracker_create_task',
  'tracker_update_task',
  'tracker_get_task',
  'tracker_list_tasks',
  'tracker_add_dependency',
  'tracker_visualize',
]);

const checkEvent = eventCheck(['BeforeTool', 'SessionEnd']);

/** `BeforeTool` of Gemini CLI 0.61. */
const beforeTool = s.open({
  ...toolEventFields,
  /** Of a server's tool: which server it is, and what the tool is called there. */
  mcp_context: s.optional(s.open({ server_name: idSchema, tool_name: idSchema })),
});
type GeminiBeforeTool = Static<typeof beforeTool>;
const checkBeforeTool = compile(beforeTool);

const checkCommand = compile(
  s.open({
    command: textSchema,
    description: s.optional(s.string()),
    /** Where the command runs, from the working folder. */
    dir_path: s.optional(s.string()),
  }),
);

const checkReplace = compile(
  s.open({
    file_path: textSchema,
    old_string: s.string(),
    new_string: s.string(),
    allow_multiple: s.optional(s.boolean()),
  }),
);

/** The addresses stand in the words, or in a field of their own. */
const checkWebFetch = compile(
  s.open({ prompt: s.optional(s.string()), url: s.optional(s.string()) }),
);

const { title: host, answer } = geminiHook;
const common = commonReaders(host);

const readers: ToolReaders = {
  replace: (input) => {
    const { file_path, old_string, new_string, allow_multiple } = must(checkReplace, input, host);
    const everywhere = allow_multiple === true;
    return replacing('replace', file_path, [{ before: old_string, after: new_string, everywhere }]);
  },
  write_file: common.writes('write_file'),
  web_fetch: (input) => {
    const { prompt = '', url } = must(checkWebFetch, input, host);
    return fetchingAll(
      'web_fetch',
      [...(url === undefined ? [] : [url]), ...addressesIn(prompt)],
      prompt,
    );
  },
  google_web_search: common.searches('google_web_search'),
};

/** What Gemini CLI told its hook. */
function read(input: unknown): HookEvent {
  const { hook_event_name: event } = must(checkEvent, input, host);
  if (event === 'SessionEnd')
    return { kind: 'session-ended', session: must(checkSessionEnd, input, host).session_id };
  const told = must(checkBeforeTool, input, host);
  if (told.mcp_context === undefined && freeTools.has(told.tool_name)) return { kind: 'not-gated' };
  if (told.tool_name !== 'run_shell_command')
    return { kind: 'tool', call: callOf(told), context: contextOf(told, told.cwd) };
  const { command, description, dir_path } = must(checkCommand, told.tool_input, host);
  const cwd = dir_path === undefined ? told.cwd : joinPath(told.cwd, dir_path);
  return { kind: 'command', command, context: contextOf(told, cwd, description) };
}

function callOf({
  tool_name: name,
  tool_input: input,
  mcp_context: mcp,
}: GeminiBeforeTool): ToolCall {
  if (mcp !== undefined) return serverTool(mcp.server_name, mcp.tool_name, input);
  return toolCallOf({ name, input }, readers, { name: 'gemini', prefix: 'mcp__', between: '__' });
}

/** Gemini CLI fetches every word that looks like an address. */
function addressesIn(prompt: string): readonly string[] {
  return prompt.split(/\s+/u).filter((word) => word.includes('://'));
}

function contextOf(told: GeminiBeforeTool, cwd: string, reason?: string): CallContext {
  return {
    session: told.session_id,
    toolUseId: null,
    statedReason: statedReason(reason),
    cwd,
  };
}

/** Gemini CLI: its hooks `BeforeTool` and `SessionEnd`. */
export const geminiAdapter: HostAdapter = { rewrites: true, shell: oneText, read, answer };
