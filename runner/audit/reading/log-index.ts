import type { FileIndex, OpenExits } from './file-index.ts';
import { emptyIndex, updateIndex } from './file-index.ts';
import { monthFiles } from './month-files.ts';

export interface LogIndex {
  /** Every file's index up to now, oldest first. */
  current(): Promise<readonly FileIndex[]>;
}

/**
 * Knows where the decisions of a log are, some 60 bytes for each. Built at the first question, and
 * then from what was added since the last one.
 */
export function createLogIndex(directory: string): LogIndex {
  let files: readonly FileIndex[] = [];
  const open: OpenExits = new Map();
  let updating: Promise<unknown> = Promise.resolve();
  const update = async (): Promise<readonly FileIndex[]> => {
    const known = new Map(files.map((file) => [file.path, file]));
    files = monthFiles(directory).map((path) => known.get(path) ?? emptyIndex(path));
    for (const file of files) await updateIndex(file, open);
    return files;
  };
  return {
    current: async () => {
      const result = updating.catch(() => {}).then(update);
      updating = result;
      return result;
    },
  };
}
