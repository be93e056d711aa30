import { compile } from '../../base/index.ts';
import { joinPath } from '../../engine/index.ts';
import type { ToolCall } from '../../engine/index.ts';
import { hostNames } from '../../wire/index.ts';
import type { CallContext, HookEvent, HostAdapter } from '../../wire/index.ts';
import {
  fetching,
  folderSchema,
  idSchema,
  must,
  openObject,
  patching,
  replacing,
  searching,
  serverTool,
  statedReason,
  textSchema,
  writing,
} from '../call.ts';
import { answer } from './hook.ts';

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

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;

/** What our plugin writes to the hook. It is ours, so the schema is closed. */
type OpenCodeInput =
  | {
      readonly version: 1;
      readonly event: 'tool';
      readonly tool: string;
      readonly sessionID: string;
      readonly callID: string;
      readonly directory: string;
      readonly args: Readonly<Record<string, unknown>>;
    }
  | { readonly version: 1; readonly event: 'session-ended'; readonly sessionID: string };

const checkInput = compile<OpenCodeInput>({
  oneOf: [
    {
      type: 'object',
      additionalProperties: false,
      required: ['version', 'event', 'tool', 'sessionID', 'callID', 'directory', 'args'],
      properties: {
        version: { const: 1 },
        event: { const: 'tool' },
        tool: idSchema,
        sessionID: idSchema,
        callID: idSchema,
        directory: folderSchema,
        args: { type: 'object' },
      },
    },
    {
      type: 'object',
      additionalProperties: false,
      required: ['version', 'event', 'sessionID'],
      properties: {
        version: { const: 1 },
        event: { const: 'session-ended' },
        sessionID: idSchema,
      },
    },
  ],
});

/** OpenCode's own tools are OpenCode's to change: open. */
const checkBash = compile<{
  readonly command: string;
  readonly description?: string;
  readonly workdir?: string;
}>(openObject({ command: textSchema, description: text, workdir: text }, ['command']));

export interface OpenCodeEdit {
  readonly oldString: string;
  readonly newString: string;
  readonly replaceAll?: boolean;
}
const checkEdit = compile<OpenCodeEdit & { readonly filePath: string }>(
  openObject({ filePath: textSchema, oldString: text, newString: text, replaceAll: flag }, [
    'filePath',
    'oldString',
    'newString',
  ]),
);

const checkWrite = compile<{ readonly filePath: string; readonly content: string }>(
  openObject({ filePath: textSchema, content: text }),
);

const checkPatch = compile<{ readonly patchText: string }>(openObject({ patchText: textSchema }));

const checkWebFetch = compile<{ readonly url: string }>(openObject({ url: textSchema }));

const checkWebSearch = compile<{ readonly query: string }>(openObject({ query: textSchema }));

const host = hostNames.opencode;

type ToolInput = Extract<OpenCodeInput, { event: 'tool' }>;

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
export const opencodeAdapter: HostAdapter = { host: 'opencode', rewrites: true, read, answer };
