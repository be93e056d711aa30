import { compile, s } from '../../base/index.ts';
import type { Static } from '../../base/index.ts';
import type { ToolCall } from '../../engine/index.ts';
import type { CallContext, HookEvent, HostAdapter } from '../../wire/index.ts';
import {
  checkSessionEnd,
  eventCheck,
  fetching,
  must,
  oneText,
  patching,
  replacing,
  searching,
  serverTool,
  splitServerTool,
  statedReason,
  textSchema,
  toolEventFields,
  writing,
} from '../call.ts';
import { droidHook } from './hook.ts';

/**
 * Tools that only look, plan or talk to the person, and tools whose own steps are asked about one by
 * one. Droid's rules decide about them. A tool that is in no list is asked about.
 */
const freeTools: ReadonlySet<string> = new Set([
  'Read',
  'LS',
  'Grep',
  'Glob',
  'Task',
  'TaskOutput',
  'TaskStop',
  'TodoWrite',
  'ToolSearch',
  'Skill',
  'AskUser',
  'ExitSpecMode',
]);

const checkEvent = eventCheck(['PreToolUse', 'SessionEnd']);

/** `PreToolUse` of Droid 0.225.2. */
const preToolUse = s.open(toolEventFields);
type DroidPreToolUse = Static<typeof preToolUse>;
const checkPreToolUse = compile(preToolUse);

const checkCommand = compile(s.open({ command: textSchema, summary: s.optional(s.string()) }));

const replaced = { old_str: s.string(), new_str: s.string(), change_all: s.optional(s.boolean()) };
const edit = s.open(replaced);
export type DroidEdit = Static<typeof edit>;
const checkEdit = compile(s.open({ ...replaced, file_path: textSchema }));
const checkMultiEdit = compile(
  s.open({ file_path: textSchema, changes: s.array(edit, { minItems: 1 }) }),
);
const checkCreate = compile(s.open({ file_path: textSchema, content: s.string() }));
const checkPatch = compile(s.open({ input: textSchema }));
const checkFetch = compile(s.open({ url: textSchema }));
const checkSearch = compile(s.open({ query: textSchema }));

const { title: host, answer } = droidHook;

const readers: Readonly<Record<string, (input: unknown) => ToolCall>> = {
  Edit: (input) => {
    const told = must(checkEdit, input, host);
    return replacing('Edit', told.file_path, [replacementOf(told)]);
  },
  MultiEdit: (input) => {
    const { file_path, changes } = must(checkMultiEdit, input, host);
    return replacing('MultiEdit', file_path, changes.map(replacementOf));
  },
  Create: (input) => {
    const { file_path, content } = must(checkCreate, input, host);
    return writing('Create', file_path, content);
  },
  ApplyPatch: (input) => patching('ApplyPatch', must(checkPatch, input, host).input),
  FetchUrl: (input) => fetching('FetchUrl', must(checkFetch, input, host).url, null),
  WebSearch: (input) => searching('WebSearch', must(checkSearch, input, host).query),
};

function replacementOf({ old_str, new_str, change_all }: DroidEdit): {
  readonly before: string;
  readonly after: string;
  readonly everywhere: boolean;
} {
  return { before: old_str, after: new_str, everywhere: change_all === true };
}

/** What Droid told its hook. */
function read(input: unknown): HookEvent {
  const { hook_event_name: event } = must(checkEvent, input, host);
  if (event === 'SessionEnd')
    return { kind: 'session-ended', session: must(checkSessionEnd, input, host).session_id };
  const told = must(checkPreToolUse, input, host);
  if (freeTools.has(told.tool_name)) return { kind: 'not-gated' };
  if (told.tool_name !== 'Execute')
    return { kind: 'tool', call: callOf(told), context: contextOf(told) };
  const { command, summary } = must(checkCommand, told.tool_input, host);
  return { kind: 'command', command, context: contextOf(told, summary) };
}

function callOf({ tool_name, tool_input }: DroidPreToolUse): ToolCall {
  const reader = Object.hasOwn(readers, tool_name) ? readers[tool_name] : undefined;
  if (reader !== undefined) return reader(tool_input);
  const named = splitServerTool(tool_name, '', '___');
  return named === null
    ? serverTool('droid', tool_name, tool_input)
    : serverTool(named.server, named.tool, tool_input);
}

function contextOf({ session_id, cwd }: DroidPreToolUse, reason?: string): CallContext {
  return { session: session_id, toolUseId: null, statedReason: statedReason(reason), cwd };
}

/** Droid: its hooks `PreToolUse` and `SessionEnd`. */
export const droidAdapter: HostAdapter = { rewrites: true, shell: oneText, read, answer };
