import { joinPath } from '../../analysis/resolve/paths.ts';
import type { ToolCall } from '../../tools/types.ts';
import {
  fetchingAll,
  replacing,
  searching,
  serverTool,
  splitServerTool,
  writing,
} from '../call/calls.ts';
import { statedReason } from '../call/reason.ts';
import { must } from '../must.ts';
import { hostNames } from '../names.ts';
import { checkSessionEnd } from '../schemas.ts';
import type { CallContext, HookEvent } from '../types.ts';
import {
  checkBeforeTool,
  checkCommand,
  checkEvent,
  checkReplace,
  checkWebFetch,
  checkWebSearch,
  checkWriteFile,
} from './schema.ts';
import type { GeminiBeforeTool } from './schema.ts';
import { freeTools } from './tools.ts';

const host = hostNames.gemini;

const readers: Readonly<Record<string, (input: unknown) => ToolCall>> = {
  replace: (input) => {
    const { file_path, old_string, new_string, allow_multiple } = must(checkReplace, input, host);
    const everywhere = allow_multiple === true;
    return replacing('replace', file_path, [{ before: old_string, after: new_string, everywhere }]);
  },
  write_file: (input) => {
    const { file_path, content } = must(checkWriteFile, input, host);
    return writing('write_file', file_path, content);
  },
  web_fetch: (input) => {
    const { prompt = '', url } = must(checkWebFetch, input, host);
    return fetchingAll(
      'web_fetch',
      [...(url === undefined ? [] : [url]), ...addressesIn(prompt)],
      prompt,
    );
  },
  google_web_search: (input) =>
    searching('google_web_search', must(checkWebSearch, input, host).query),
};

/** What Gemini CLI told its hook. */
export function read(input: unknown): HookEvent {
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

function callOf({ tool_name, tool_input, mcp_context }: GeminiBeforeTool): ToolCall {
  if (mcp_context !== undefined)
    return serverTool(mcp_context.server_name, mcp_context.tool_name, tool_input);
  const reader = Object.hasOwn(readers, tool_name) ? readers[tool_name] : undefined;
  if (reader !== undefined) return reader(tool_input);
  const named = splitServerTool(tool_name, 'mcp__', '__');
  return named === null
    ? serverTool('gemini', tool_name, tool_input)
    : serverTool(named.server, named.tool, tool_input);
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
