import { bytesOf } from '../../shared/engine/index.ts';
import type { SandboxConfig } from '../../shared/engine/index.ts';
import { openFolderTrees } from '../../shared/home/index.ts';
import { createCareWatch } from '../hosts/sandbox/care.ts';
import type { Histories } from '../hosts/sandbox/history/store.ts';
import type { Entry, LaunchLimits } from '../hosts/sandbox/message.ts';
import { createNested } from '../hosts/sandbox/nested.ts';
import { planBox } from '../hosts/sandbox/root.ts';
import type { Owner } from '../hosts/sandbox/root.ts';
import { ownerOf, rootFiles } from '../hosts/sandbox/root-files.ts';

/** The one root of a named box, and as whom its commands run. */
interface BoxRoot {
  readonly workspace: string;
  readonly owner: Owner;
  readonly entries: readonly Entry[];
  readonly limits: LaunchLimits;
  /** Histories that were in it, each with its mark, by folder; any other was made in the box. */
  readonly nested: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

interface RootOptions {
  readonly settings: SandboxConfig;
  /** Interlock's own folder: never inside. */
  readonly ownHome: string;
  /** Directories of the PATH. */
  readonly path: readonly string[];
  /** The box's own layers over histories; null where none can be had: then they are read-only. */
  readonly histories: Histories | null;
  /** Further places, mounted last. */
  readonly more?: readonly Entry[];
}

/**
 * Plans the root of a box. Nobody looks at what an agent does in it, so it is that of a command which
 * nobody allowed: secrets of the workspace are empty, and what steers or runs later is read-only.
 * Throws a `host-unavailable` refusal where the folder cannot be a workspace.
 *
 * @param workspace absolute real path
 */
export function planRoot(name: string, workspace: string, options: RootOptions): BoxRoot {
  const { settings, ownHome, path, histories, more = [] } = options;
  const trees = openFolderTrees();
  try {
    const care = createCareWatch(trees);
    const nested = createNested(trees);
    const found: Record<string, Readonly<Record<string, string>>> = {};
    const box = planBox(
      workspace,
      { ...settings, workspaces: [workspace], temporaryBytes: bytesOf(settings.temporary) },
      {
        files: rootFiles(),
        ownHome,
        path,
        ownerOf,
        layersOf: () => () => null,
        careOf: (folder, { home }) => care.entries(name, folder, home),
        historyOf: (place, owner) => histories?.take(name, place, owner) ?? null,
        nestedOf: (folder) => {
          const known = nested.known(folder, []);
          found[folder] = Object.fromEntries(nested.marks(folder));
          return known;
        },
      },
    );
    const limits = {
      processes: settings.processes,
      memory: bytesOf(settings.memory),
      fileSize: 0,
      cpuSeconds: settings.cpuSeconds ?? 0,
      openFiles: 0,
    };
    return { ...box, entries: [...box.entries, ...more], limits, nested: found };
  } finally {
    trees.close();
  }
}
