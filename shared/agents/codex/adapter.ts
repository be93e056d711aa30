import { compile, s } from '../../base/index.ts';
import type { Static } from '../../base/index.ts';
import { joinPath, quoteWords } from '../../engine/index.ts';
import type { ToolCall } from '../../engine/index.ts';
import type { CallContext, HookEvent, HostAdapter } from '../../wire/index.ts';
import {
  checkPrompt,
  checkSessionEnd,
  eventCheck,
  folderSchema,
  idSchema,
  must,
  patching,
  oneText,
  textSchema,
  toolCallOf,
} from '../call.ts';
import type { ToolReaders } from '../call.ts';
import { codexHook } from './hook.ts';

const checkEvent = eventCheck(['PreToolUse', 'SessionEnd', 'UserPromptSubmit']);

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

/** What Codex told its hook. Of tools it tells of shells, patches and servers' tools only. */
function read(input: unknown): HookEvent {
  const { hook_event_name: event } = must(checkEvent, input, host);
  if (event === 'SessionEnd')
    return { kind: 'session-ended', session: must(checkSessionEnd, input, host).session_id };
  if (event === 'UserPromptSubmit') {
    const { prompt, session_id } = must(checkPrompt, input, host);
    return { kind: 'prompt', text: prompt, session: session_id };
  }
  const told = must(checkPreToolUse, input, host);
  const context = contextOf(told);
  if (told.tool_name !== 'Bash') return { kind: 'tool', call: callOf(told), context };
  const { command } = must(checkCommand, told.tool_input, host);
  const patch = patchInShell(command);
  if (patch === null) return { kind: 'command', command, context };
  const cwd = joinPath(told.cwd, patch.folder ?? '.');
  return {
    kind: 'tool',
    call: patching('apply_patch', patch.text),
    context: { ...context, cwd },
    asCommand: shellTextOf(patch),
  };
}

interface ShellPatch {
  /** Where it is applied, from the working folder; null for that folder itself. */
  readonly folder: string | null;
  readonly text: string;
}

/** `apply_patch <<'EOF'`, with nothing around it but a `cd` to a folder that is written out. */
const shellPatch =
  /^\s*(?:cd[ \t]+(?:'([^'\n]+)'|"([^"\n$`\\]+)"|([\w./@%+=:,][\w./@%+=:,-]*))[ \t]*&&[ \t]*)?(?:apply_patch|applypatch)[ \t]*<<[ \t]*(['"]?)([A-Za-z_]\w*)\4[ \t]*\n([^]*?)\n\5\s*$/u;

/**
 * The patch in shell text that Codex takes for one before any shell runs: no program of that name
 * exists. It reads the text as it stands, without expansions, also where the shell would expand.
 */
function patchInShell(command: string): ShellPatch | null {
  const found = shellPatch.exec(command);
  if (found === null) return null;
  const [, single, double, bare, , mark = '', text = ''] = found;
  // What a shell would read ends at the first such line, and the rest would be commands.
  if (text.split('\n').includes(mark)) return null;
  return { folder: single ?? double ?? bare ?? null, text };
}

/**
 * The patch as shell text that is nothing else: whoever reads it, Codex or a shell, finds the program
 * `apply_patch` with this very text and no expansion. So it does not matter who reads how.
 */
function shellTextOf({ folder, text }: ShellPatch): string {
  let mark = 'PATCH';
  while (text.includes(mark)) mark += '_';
  const there = folder === null ? '' : `${quoteWords(['cd', folder])} && `;
  return `${there}apply_patch <<'${mark}'\n${text}\n${mark}`;
}

const readers: ToolReaders = {
  apply_patch: (input) => patching('apply_patch', must(checkCommand, input, host).command),
};

function callOf({ tool_name: name, tool_input: input }: CodexPreToolUse): ToolCall {
  return toolCallOf({ name, input }, readers, { name: 'codex', prefix: 'mcp__', between: '__' });
}

function contextOf({ session_id, tool_use_id, cwd }: CodexPreToolUse): CallContext {
  return { session: session_id, toolUseId: tool_use_id ?? null, statedReason: null, cwd };
}

/** Codex: its hooks `PreToolUse`, `UserPromptSubmit` and `SessionEnd`. */
export const codexAdapter: HostAdapter = { rewrites: true, shell: oneText, read, answer };
