import { compile, s } from '../../base/index.ts';
import type { Static } from '../../base/index.ts';
import type { ToolCall } from '../../engine/index.ts';
import type { CallContext, HookEvent, HostAdapter } from '../../wire/index.ts';
import {
  checkSessionEnd,
  commonReaders,
  eventCheck,
  must,
  oneText,
  replacing,
  statedReason,
  textSchema,
  toolCallOf,
  toolEventFields,
} from '../call.ts';
import type { Replacement, ToolReaders } from '../call.ts';
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
type DroidEdit = Static<typeof edit>;
const checkEdit = compile(s.open({ ...replaced, file_path: textSchema }));
const checkMultiEdit = compile(
  s.open({ file_path: textSchema, changes: s.array(edit, { minItems: 1 }) }),
);

const { title: host, answer } = droidHook;
const common = commonReaders(host);

const readers: ToolReaders = {
  Edit: (input) => {
    const told = must(checkEdit, input, host);
    return replacing('Edit', told.file_path, [replacementOf(told)]);
  },
  MultiEdit: (input) => {
    const { file_path, changes } = must(checkMultiEdit, input, host);
    return replacing('MultiEdit', file_path, changes.map(replacementOf));
  },
  Create: common.writes('Create'),
  ApplyPatch: common.patches('ApplyPatch'),
  FetchUrl: common.fetches('FetchUrl'),
  WebSearch: common.searches('WebSearch'),
};

function replacementOf({ old_str, new_str, change_all }: DroidEdit): Replacement {
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

function callOf({ tool_name: name, tool_input: input }: DroidPreToolUse): ToolCall {
  return toolCallOf({ name, input }, readers, { name: 'droid', prefix: '', between: '___' });
}

function contextOf({ session_id, cwd }: DroidPreToolUse, reason?: string): CallContext {
  return { session: session_id, toolUseId: null, statedReason: statedReason(reason), cwd };
}

/** Droid: its hooks `PreToolUse` and `SessionEnd`. */
export const droidAdapter: HostAdapter = { rewrites: true, shell: oneText, read, answer };
