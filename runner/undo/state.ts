import { compile, s } from '../../shared/base/index.ts';
import type { Static } from '../../shared/base/index.ts';

/**
 * Paths here are byte strings: one character a byte (latin1), because names of files need not be
 * UTF-8. They are relative to the workspace and use `/`; the workspace itself is ''.
 */

const mode = s.integer({ minimum: 0, maximum: 0o7777 });
const hash = s.string({ pattern: '^[0-9a-f]{64}$' });
const bytePath = s.string({ minLength: 1, maxLength: 8_192, pattern: '^[^\\u0000]+$' });

/** What stands at a path. A file's `hash` is null where its content is not kept. */
export const stateSchema = s.union(
  s.object({
    kind: s.literal('file'),
    mode,
    size: s.integer({ minimum: 0 }),
    hash: s.nullable(hash),
  }),
  s.object({ kind: s.literal('folder'), mode }),
  s.object({ kind: s.literal('link'), target: bytePath }),
  /** A socket, pipe or device. */
  s.object({ kind: s.literal('other') }),
);
export type State = Static<typeof stateSchema>;

/** How one path was left; null: nothing stood there. */
const change = s.object({
  path: bytePath,
  before: s.nullable(stateSchema),
  after: s.nullable(stateSchema),
  /** Other commands that ran then: it was one of them. */
  with: s.optional(s.array(s.string({ maxLength: 128 }), { maxItems: 64 })),
});
export type Change = Static<typeof change>;

/** What one command changed, or what was taken back of one. */
const entry = s.object({
  version: s.literal(1),
  id: s.string({ pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$' }),
  /** When it began, in milliseconds since the epoch. */
  at: s.integer({ minimum: 0 }),
  workspace: s.string({ pattern: '^/[^\\u0000]*$', maxLength: 4_096 }),
  agent: s.string({ maxLength: 256 }),
  /** As a person reads it, secrets taken out; of a take-back what was taken back. */
  command: s.string({ maxLength: 4_096 }),
  /** The entry that was taken back; null for a command. */
  undoes: s.nullable(s.string({ maxLength: 64 })),
  /** It was cut off by the end of the runner, so that later changes may be among these. */
  isCutOff: s.optional(s.boolean()),
  changes: s.array(change, { maxItems: 1_000_000 }),
});
export type Entry = Static<typeof entry>;

export const checkEntry = compile(entry);

/** Whether two states are the same to everybody who looks. Content that is not kept never is. */
export function isSame(a: State | null, b: State | null): boolean {
  if (a === null || b === null) return a === b;
  if (a.kind === 'file' && b.kind === 'file')
    return a.hash !== null && a.hash === b.hash && a.mode === b.mode;
  if (a.kind === 'folder' && b.kind === 'folder') return a.mode === b.mode;
  if (a.kind === 'link' && b.kind === 'link') return a.target === b.target;
  return a.kind === 'other' && b.kind === 'other';
}

/** Puts later changes behind earlier ones: the first "before" with the last "after" of each path. */
export function joined(earlier: readonly Change[], later: readonly Change[]): readonly Change[] {
  const byPath = new Map(earlier.map((one) => [one.path, one]));
  for (const one of later) {
    const first = byPath.get(one.path);
    const others = [...new Set([...(first?.with ?? []), ...(one.with ?? [])])];
    const both: Change = {
      path: one.path,
      before: first === undefined ? one.before : first.before,
      after: one.after,
      ...(others.length > 0 && { with: others }),
    };
    if (isSame(both.before, both.after)) byPath.delete(one.path);
    else byPath.set(one.path, both);
  }
  return [...byPath.values()];
}

/** Of a byte string as people read it; bytes that are no UTF-8 stand there as `\xNN`. */
export function shownPath(path: string): string {
  const bytes = Buffer.from(path, 'latin1');
  const text = bytes.toString('utf8');
  if (Buffer.from(text, 'utf8').equals(bytes)) return text;
  let shown = '';
  for (let at = 0; at < bytes.length;) {
    const length = [1, 2, 3, 4].find((size) => isOneCharacter(bytes.subarray(at, at + size)));
    const byte = bytes[at] ?? 0;
    if (length === undefined) shown += `\\x${byte.toString(16).padStart(2, '0')}`;
    else if (byte === 0x5c) shown += '\\\\';
    else shown += bytes.subarray(at, at + length).toString('utf8');
    at += length ?? 1;
  }
  return shown;
}

function isOneCharacter(bytes: Buffer): boolean {
  const text = bytes.toString('utf8');
  return Array.from(text).length === 1 && Buffer.from(text, 'utf8').equals(bytes);
}
