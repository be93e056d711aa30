import { joinPath } from '../../analysis/resolve/paths.ts';
import type { ToolCall } from '../../tools/types.ts';
import { fetching, replacing, searching, serverTool, writing } from '../call/calls.ts';
import { patching } from '../call/patch.ts';
import { statedReason } from '../call/reason.ts';
import { must } from '../must.ts';
import { hostNames } from '../names.ts';
import type { CallContext, HookEvent } from '../types.ts';
import {
  checkBash,
  checkEdit,
  checkInput,
  checkPatch,
  checkWebFetch,
  checkWebSearch,
  checkWrite,
} from './schema.ts';
import type { OpenCodeInput } from './schema.ts';
import { freeTools } from './tools.ts';

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
export function read(input: unknown): HookEvent {
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
