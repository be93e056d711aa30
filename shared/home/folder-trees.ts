import { openFolderTree } from './folder-tree.ts';
import type { FolderTree, FolderTreeOptions } from './folder-tree.ts';

/** Trees of the workspaces that were used last; each is watched once, whoever asks. */
export interface FolderTrees {
  /** @param workspace absolute real path */
  readonly of: (workspace: string) => FolderTree;
  readonly close: () => void;
}

const mostTrees = 8;

/** @param options of every tree */
export function openFolderTrees(options: Omit<FolderTreeOptions, 'workspace'> = {}): FolderTrees {
  const trees = new Map<string, FolderTree>();
  let isClosed = false;
  return {
    of: (workspace) => {
      const tree = trees.get(workspace) ?? openFolderTree({ ...options, workspace });
      if (isClosed) tree.close();
      // Those used last stand last.
      trees.delete(workspace);
      trees.set(workspace, tree);
      const [oldest] = trees.size > mostTrees ? trees : [];
      oldest?.[1].close();
      if (oldest !== undefined) trees.delete(oldest[0]);
      return tree;
    },
    close: () => {
      isClosed = true;
      for (const tree of trees.values()) tree.close();
      trees.clear();
    },
  };
}
