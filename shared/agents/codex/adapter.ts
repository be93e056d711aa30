import { compile, s } from '../../base/index.ts';
import type { Static } from '../../base/index.ts';
import type { ToolCall } from '../../engine/index.ts';
import type { CallContext, HookEvent, HostAdapter } from '../../wire/index.ts';
import {
  checkSessionEnd,
  eventCheck,
  folderSchema,
  idSchema,
  must,
  patching,
  serverTool,
  splitServerTool,
  textSchema,
} from '../call.ts';
import { codexHook } from './hook.ts';

const checkEvent = eventCheck(['PreToolUse', 'SessionEnd']);

/** `PreToolUse` of Codex 0.169.0. */
const preToolUse = s.open({
  session_id: idSchema,
  cwd: folderSchema,
  tool_name: idSchema,
  /** An object for shells and patches; whatever a server takes for its tools. */
  tool_input: s.unknown(),
  tool_use_id: s.optional(idSchema),
});
type CodexPreToolUse = Static<typeof preToolUse>;
const checkPreToolUse = compile(preToolUse);

/** Shell text, and the text of a patch, which Codex hands over in the same field. */
const checkCommand = compile(s.open({ command: textSchema }));

const { title: host, answer } = codexHook;

/** What Codex told its hook. It tells of shells, patches and servers' tools only. */
function read(input: unknown): HookEvent {
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

/** Codex: its hooks `PreToolUse` and `SessionEnd`. */
export const codexAdapter: HostAdapter = { rewrites: true, read, answer };
