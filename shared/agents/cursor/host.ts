import { homeFolder, nothing, nothingToReview } from '../host.ts';
import type { HostRecord } from '../host.ts';
import { cursorFormat, cursorHook } from './hook.ts';
import { compile, s } from '../../base/index.ts';
import type { Static, StaticFields } from '../../base/index.ts';
import type { CallContext, HookEvent, HostAdapter } from '../../wire/index.ts';
import {
  eventCheck,
  folderSchema,
  idSchema,
  must,
  oneText,
  serverTool,
  textSchema,
} from '../call.ts';

/** `afterFileEdit` and the like cannot be answered, so nobody should ask. */
const checkEvent = eventCheck(['beforeShellExecution', 'beforeMCPExecution', 'beforeReadFile']);

const baseFields = {
  conversation_id: idSchema,
  workspace_roots: s.filled(folderSchema),
};
type CursorBase = StaticFields<typeof baseFields>;

const shell = s.open({
  ...baseFields,
  command: textSchema,
  /** May be empty: then it is the first of the workspace's folders. */
  cwd: s.union(folderSchema, s.literal('')),
});
const checkShell = compile(shell);

const mcp = s.open({
  ...baseFields,
  tool_name: idSchema,
  /** The input as JSON text. */
  tool_input: s.string(),
  /** The server's address or command line, as far as Cursor tells it. */
  url: s.optional(s.string()),
  command: s.optional(s.string()),
});
type CursorMcp = Static<typeof mcp>;
const checkMcp = compile(mcp);

const { title: host, answer } = cursorHook;

/**
 * What Cursor told its hook. It tells the name of a server's tool and not that of the server, so
 * the tools of all servers are `cursor/NAME`.
 */
function read(input: unknown): HookEvent {
  const { hook_event_name: event } = must(checkEvent, input, host);
  if (event === 'beforeReadFile') return { kind: 'not-gated' };
  if (event === 'beforeShellExecution') {
    const told = must(checkShell, input, host);
    return { kind: 'command', command: told.command, context: contextOf(told, told.cwd) };
  }
  const told = must(checkMcp, input, host);
  const call = serverTool('cursor', told.tool_name, mcpInput(told));
  return { kind: 'tool', call, context: contextOf(told, '') };
}

/** With the server as far as it is told, so that a person can tell servers apart. */
function mcpInput({ tool_input, url, command }: CursorMcp): unknown {
  return {
    ...(url === undefined ? {} : { server: url }),
    ...(command === undefined ? {} : { server: command }),
    input: parsed(tool_input),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function contextOf({ conversation_id, workspace_roots }: CursorBase, cwd: string): CallContext {
  return {
    session: conversation_id,
    toolUseId: null,
    statedReason: null,
    cwd: cwd === '' ? workspace_roots[0] : cwd,
  };
}

/** Cursor: its hooks `beforeShellExecution` and `beforeMCPExecution`. */
const cursorAdapter: HostAdapter = { rewrites: false, shell: oneText, read, answer };

export const cursorHost: HostRecord = {
  adapter: cursorAdapter,
  keeping: { kind: 'settings', format: cursorFormat, switches: null, review: nothingToReview },
  places: {
    folder: (env) => homeFolder(env, '.cursor'),
    personal: 'hooks.json',
    project: '.cursor/hooks.json',
    inProject: ['.cursor/hooks.json'],
    besides: nothing,
  },
  managed: null,
  off: nothing,
  rules: null,
  acp: null,
  words: {
    advice: [
      'Cursor runs allowed commands itself: Interlock decides and records the decision, not the outcome.',
      'Cursor asks no hook before it edits a file.',
    ],
    objections: nothing,
    guide: 'docs/agents/cursor.md',
  },
};
