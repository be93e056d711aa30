import { compile, s } from '../../base/index.ts';
import type { Static } from '../../base/index.ts';
import { joinPath } from '../../engine/index.ts';
import type { ToolCall } from '../../engine/index.ts';
import type { CallContext, HookEvent, HostAdapter } from '../../wire/index.ts';
import {
  fetching,
  folderSchema,
  idSchema,
  inputSchema,
  must,
  patching,
  replacing,
  searching,
  oneText,
  serverTool,
  statedReason,
  textSchema,
  writing,
} from '../call.ts';
import { opencodeHook } from './hook.ts';

/**
 * Tools that only look, plan or talk to the person, and tools whose own steps are asked about one by
 * one. OpenCode's rules decide about them. A tool that is in no list is asked about.
 */
const freeTools: ReadonlySet<string> = new Set([
  'read',
  'grep',
  'glob',
  'list',
  'lsp',
  'task',
  'todoread',
  'todowrite',
  'question',
  'skill',
  'plan_enter',
  'plan_exit',
  'invalid',
]);

/** What our plugin writes to the hook. It is ours, so the schemas are closed. */
const toolEvent = s.object({
  version: s.literal(1),
  event: s.literal('tool'),
  tool: idSchema,
  sessionID: idSchema,
  callID: idSchema,
  directory: folderSchema,
  args: inputSchema,
});
type ToolInput = Static<typeof toolEvent>;

const checkInput = compile(
  s.union(
    toolEvent,
    s.object({ version: s.literal(1), event: s.literal('session-ended'), sessionID: idSchema }),
  ),
);

/** OpenCode's own tools are OpenCode's to change: open. */
const checkBash = compile(
  s.open({
    command: textSchema,
    description: s.optional(s.string()),
    workdir: s.optional(s.string()),
  }),
);

const edit = s.open({
  filePath: textSchema,
  oldString: s.string(),
  newString: s.string(),
  replaceAll: s.optional(s.boolean()),
});
export type OpenCodeEdit = Omit<Static<typeof edit>, 'filePath'>;
const checkEdit = compile(edit);

const checkWrite = compile(s.open({ filePath: textSchema, content: s.string() }));

const checkPatch = compile(s.open({ patchText: textSchema }));

const checkWebFetch = compile(s.open({ url: textSchema }));

const checkWebSearch = compile(s.open({ query: textSchema }));

const { title: host, answer } = opencodeHook;

const readers: Readonly<Record<string, (args: unknown) => ToolCall>> = {
  edit: (args) => {
    const { filePath, oldString, newString, replaceAll } = must(checkEdit, args, host);
    const everywhere = replaceAll === true;
    return replacing('edit', filePath, [{ before: oldString, after: newString, everywhere }]);
  },
  write: (args) => {
    const { filePath, content } = must(checkWrite, args, host);
    return writing('write', filePath, content);
  },
  apply_patch: (args) => patching('apply_patch', must(checkPatch, args, host).patchText),
  webfetch: (args) => fetching('webfetch', must(checkWebFetch, args, host).url, null),
  websearch: (args) => searching('websearch', must(checkWebSearch, args, host).query),
};

/**
 * What our plugin told. OpenCode names a server's tool `SERVER_TOOL`, which cannot be taken apart
 * with certainty, so such a tool is `opencode/SERVER_TOOL`, as is every tool that is not known here.
 */
function read(input: unknown): HookEvent {
  const told = must(checkInput, input, host);
  if (told.event === 'session-ended') return { kind: 'session-ended', session: told.sessionID };
  const { tool, args, directory } = told;
  if (freeTools.has(tool)) return { kind: 'not-gated' };
  if (tool !== 'bash')
    return { kind: 'tool', call: callOf(tool, args), context: contextOf(told, directory) };
  const { command, description, workdir } = must(checkBash, args, host);
  const cwd = workdir === undefined ? directory : joinPath(directory, workdir);
  return { kind: 'command', command, context: contextOf(told, cwd, description) };
}

function callOf(tool: string, args: unknown): ToolCall {
  const reader = Object.hasOwn(readers, tool) ? readers[tool] : undefined;
  return reader === undefined ? serverTool('opencode', tool, args) : reader(args);
}

function contextOf({ sessionID, callID }: ToolInput, cwd: string, reason?: string): CallContext {
  return {
    session: sessionID,
    toolUseId: callID,
    statedReason: statedReason(reason),
    cwd,
  };
}

/** OpenCode, through the plugin that Interlock ships. */
export const opencodeAdapter: HostAdapter = { rewrites: true, shell: oneText, read, answer };
