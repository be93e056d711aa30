import { keepRecent } from '../relay/recent.ts';
import type { ToolCallPart } from './schemas.ts';

/** What was told about sessions and tool calls before a permission is asked for. */
export interface AcpMemory {
  folderOf(sessionId: string): string | null;
  keepFolder(sessionId: string, cwd: string): void;
  /** The call with all that was told of it so far; what this part says wins. */
  merge(sessionId: string, part: ToolCallPart): ToolCallPart;
  /** A file's content that was allowed; taken out by the one write that has exactly it. */
  allowWrite(sessionId: string, path: string, content: string): void;
  takeWrite(sessionId: string, path: string, content: string): boolean;
}

/** Entries of each kind that are kept; the oldest go first. */
const mostEntries = 1_000;
const mostWrites = 50;

export function createAcpMemory(): AcpMemory {
  const folders = new Map<string, string>();
  const calls = new Map<string, ToolCallPart>();
  const writes = new Map<string, string>();
  return {
    folderOf: (sessionId) => folders.get(sessionId) ?? null,
    keepFolder: (sessionId, cwd) => keepRecent(folders, sessionId, cwd, mostEntries),
    merge: (sessionId, part) => {
      const key = JSON.stringify([sessionId, part.toolCallId]);
      const told = Object.entries(part).filter(
        ([, value]) => value !== undefined && value !== null,
      );
      const merged = { ...calls.get(key), ...Object.fromEntries(told) } as ToolCallPart;
      keepRecent(calls, key, merged, mostEntries);
      return merged;
    },
    allowWrite: (sessionId, path, content) =>
      keepRecent(writes, JSON.stringify([sessionId, path]), content, mostWrites),
    takeWrite: (sessionId, path, content) => {
      const key = JSON.stringify([sessionId, path]);
      return writes.get(key) === content && writes.delete(key);
    },
  };
}
