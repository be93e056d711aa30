import { fetching, serverTool } from '../../../shared/agents/index.ts';
import { compile, s } from '../../../shared/base/index.ts';
import type { Static } from '../../../shared/base/index.ts';
import type { ToolCall } from '../../../shared/engine/index.ts';

/** Messages of Codex's app-server (seen: 0.169.0), as far as the gate needs them. */

const text = s.string();
const textOrNull = s.optional(s.nullable(text));
const id = s.string({ minLength: 1, maxLength: 512 });
const folder = s.string({ pattern: '^/', maxLength: 4_096 });
const folderOrNull = s.optional(s.nullable(folder));

const itemFields = { threadId: id, itemId: id, reason: textOrNull };

/** `item/commandExecution/requestApproval`. An unknown kind does not fit, and is declined. */
const commandParams = s.open({
  ...itemFields,
  /** Absent in older releases, which only knew commands. */
  kind: s.optional(s.oneOf(['command', 'humanCommand', 'writeStdin'])),
  command: textOrNull,
  cwd: folderOrNull,
  networkApprovalContext: s.optional(s.nullable(s.open({ host: text, protocol: text }))),
});
type CommandParams = Static<typeof commandParams>;
export const checkCommand = compile(commandParams);

/** `item/fileChange/requestApproval`; what changes was told by the item before. */
export const checkFileChange = compile(s.open({ ...itemFields, grantRoot: textOrNull }));

/** `item/permissions/requestApproval`. */
export const checkPermissions = compile(
  s.open({ ...itemFields, cwd: folderOrNull, permissions: s.record(s.unknown()) }),
);

const fileChange = s.open({ path: s.string({ minLength: 1 }), diff: s.optional(text) });
export type FileChange = Static<typeof fileChange>;

/** `item/started` and `item/updated` of an item that changes files. */
export const checkFileItem = compile(
  s.open({
    threadId: id,
    item: s.open({ type: s.literal('fileChange'), id, changes: s.array(fileChange) }),
  }),
);

/** `serverRequest/resolved`: somebody answered, or nobody has to any more. */
export const checkResolved = compile(s.open({ requestId: s.union(text, s.integer()) }));

export const checkThread = compile(s.open({ threadId: id }));

/** Where a thread works: params of `thread/start`, and the thread that its answer names. */
export const checkFolder = compile(s.open({ cwd: folder }));
export const checkStarted = compile(s.open({ thread: s.open({ id }), cwd: s.optional(folder) }));

/** What an approval is asked for, in the gate's words. */
export type CodexQuestion =
  | { readonly kind: 'command'; readonly command: string }
  | { readonly kind: 'tool'; readonly call: ToolCall; readonly mustAsk: boolean };

/** The question behind a request about a command; null where it names none. */
export function commandQuestion(params: CommandParams): CodexQuestion | null {
  const { kind = 'command', command, networkApprovalContext: network } = params;
  if (network !== undefined && network !== null) {
    const { host, protocol } = network;
    const isWeb = protocol === 'http' || protocol === 'https';
    const call = isWeb
      ? fetching('network', `${protocol}://${host}/`, command ?? null)
      : serverTool('codex', 'network', { ...network, command });
    return { kind: 'tool', call, mustAsk: false };
  }
  if (typeof command !== 'string' || command.trim() === '') return null;
  // Keys for a program that runs already: a rule about commands says nothing about them.
  if (kind === 'writeStdin')
    return {
      kind: 'tool',
      call: serverTool('codex', 'write_stdin', { text: command }),
      mustAsk: true,
    };
  return { kind: 'command', command };
}

/** The question behind a change of files. What is not known to change is only for a person. */
export function fileQuestion(
  changes: readonly FileChange[] | null,
  asked: { readonly grantRoot?: string | null; readonly reason?: string | null },
): CodexQuestion {
  const grantRoot = asked.grantRoot ?? null;
  const [first, ...more] = changes ?? [];
  if (first === undefined) {
    const call = serverTool('codex', 'file_change', { grantRoot, reason: asked.reason ?? null });
    return { kind: 'tool', call, mustAsk: true };
  }
  const diffs = [first, ...more].map(({ path, diff }) => `--- ${path}\n${diff ?? ''}`);
  const root = grantRoot === null ? [] : [`It also asks to write anywhere below ${grantRoot}.`];
  const call: ToolCall = {
    kind: 'edit',
    tool: 'apply_patch',
    target: first.path,
    ...(more.length > 0 && { moreTargets: more.map(({ path }) => path) }),
    detail: { form: 'diff', text: [...root, ...diffs].join('\n') },
  };
  return { kind: 'tool', call, mustAsk: grantRoot !== null };
}

/** A wider sandbox: never by a rule. */
export function permissionsQuestion(permissions: Readonly<Record<string, unknown>>): CodexQuestion {
  return { kind: 'tool', call: serverTool('codex', 'permissions', permissions), mustAsk: true };
}
