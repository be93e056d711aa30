import { compile } from '../../../shared/schema/compile.ts';
import type { SchemaObject } from '../../../shared/schema/compile.ts';

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

export interface CommandParams extends ItemParams {
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
