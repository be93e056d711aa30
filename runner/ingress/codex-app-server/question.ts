import { fetching, serverTool } from '../../../shared/agents/index.ts';
import { compile } from '../../../shared/base/index.ts';
import type { SchemaObject } from '../../../shared/base/index.ts';
import type { ToolCall } from '../../../shared/engine/index.ts';

/** Messages of Codex's app-server (seen: 0.169.0), as far as the gate needs them. */

const text = { type: 'string' } as const;
const textOrNull = { type: ['string', 'null'] } as const;
const id = { type: 'string', minLength: 1, maxLength: 512 } as const;
const folder = { type: 'string', pattern: '^/', maxLength: 4096 } as const;

function open(properties: Record<string, SchemaObject>, required: readonly string[]): SchemaObject {
  return { type: 'object', required, properties, additionalProperties: true };
}

interface ItemParams {
  readonly threadId: string;
  readonly itemId: string;
  readonly reason?: string | null;
}
const item = { threadId: id, itemId: id, reason: textOrNull } as const;

interface CommandParams extends ItemParams {
  /** Absent in older releases, which only knew commands. */
  readonly kind?: 'command' | 'humanCommand' | 'writeStdin';
  readonly command?: string | null;
  readonly cwd?: string | null;
  readonly networkApprovalContext?: {
    readonly host: string;
    readonly protocol: string;
  } | null;
}

/** `item/commandExecution/requestApproval`. An unknown kind does not fit, and is declined. */
export const checkCommand = compile<CommandParams>(
  open(
    {
      ...item,
      kind: { enum: ['command', 'humanCommand', 'writeStdin'] },
      command: textOrNull,
      cwd: { anyOf: [{ type: 'null' }, folder] },
      networkApprovalContext: {
        anyOf: [{ type: 'null' }, open({ host: text, protocol: text }, ['host', 'protocol'])],
      },
    },
    ['threadId', 'itemId'],
  ),
);

/** `item/fileChange/requestApproval`; what changes was told by the item before. */
export const checkFileChange = compile<ItemParams & { readonly grantRoot?: string | null }>(
  open({ ...item, grantRoot: textOrNull }, ['threadId', 'itemId']),
);

/** `item/permissions/requestApproval`. */
export const checkPermissions = compile<
  ItemParams & {
    readonly cwd?: string | null;
    readonly permissions: Readonly<Record<string, unknown>>;
  }
>(
  open({ ...item, cwd: { anyOf: [{ type: 'null' }, folder] }, permissions: { type: 'object' } }, [
    'threadId',
    'itemId',
    'permissions',
  ]),
);

export interface FileChange {
  readonly path: string;
  readonly diff?: string;
}

/** `item/started` and `item/updated` of an item that changes files. */
export const checkFileItem = compile<{
  readonly threadId: string;
  readonly item: { readonly id: string; readonly changes: readonly FileChange[] };
}>(
  open(
    {
      threadId: id,
      item: open(
        {
          type: { const: 'fileChange' },
          id,
          changes: {
            type: 'array',
            items: open({ path: { type: 'string', minLength: 1 }, diff: text }, ['path']),
          },
        },
        ['type', 'id', 'changes'],
      ),
    },
    ['threadId', 'item'],
  ),
);

/** `serverRequest/resolved`: somebody answered, or nobody has to any more. */
export const checkResolved = compile<{ readonly requestId: string | number }>(
  open({ requestId: { type: ['string', 'integer'] } }, ['requestId']),
);

export const checkThread = compile<{ readonly threadId: string }>(
  open({ threadId: id }, ['threadId']),
);

/** Where a thread works: params of `thread/start`, and the thread that its answer names. */
export const checkFolder = compile<{ readonly cwd: string }>(open({ cwd: folder }, ['cwd']));
export const checkStarted = compile<{
  readonly thread: { readonly id: string };
  readonly cwd?: string;
}>(open({ thread: open({ id }, ['id']), cwd: folder }, ['thread']));

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
