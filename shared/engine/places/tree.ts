import { isBelow } from '../plan/paths.ts';
import { heldBelow, isHidden } from './context.ts';
import { isRecipe } from './list/recipes.ts';
import { foldedSegments } from './names.ts';
import { guards, placeOf } from './place-of.ts';
import { mayBegin } from './table.ts';
import type { FolderEntry, PlaceContext, PlaceFiles, Placement } from './types.ts';

/** How a program goes through a folder. */
export interface Walk {
  /** Links inside are followed, not taken for what they are. */
  readonly follows: boolean;
  /** Names with a dot in front are visited. */
  readonly hidden: boolean;
  /** How many folders deep; 1 is what lies in the folder itself. */
  readonly depth: number;
  /** Only links that lead out count: what lies in files is not shown. */
  readonly linksOnly?: boolean;
  /** Whether it opens a file of this name; `path` is what it would print, root included. */
  readonly opens: (name: string, path: string) => boolean;
  /** Whether it goes into a folder of this name. */
  readonly enters: (name: string) => boolean;
  /** Links to files are opened where they are met, although the walk goes through none. */
  readonly opensLinks?: boolean;
  /** Whether what is printed of an entry would be taken for something else; `shown` as with `opens`. */
  readonly odd?: (shown: string) => boolean;
  /** The files are changed: what runs later, steers or is hidden counts, too. */
  readonly changes?: boolean;
}

/** What a bounded look through a tree found. */
interface Seen {
  /** The first file that is secret or Interlock's own. */
  readonly kept: Placement | null;
  /** A link that leads out of the project, where links are followed. */
  readonly out: string | null;
  /** A name that is odd in the sense of the walk. */
  readonly odd: string | null;
  /** Nothing was left out. */
  readonly whole: boolean;
}

/** More than this is not looked at: in doubt there is something. */
const mostEntries = 20_000;

/**
 * Goes through a folder as the program would, the upper levels first, and stops at the first file that
 * is kept from others. `root` is absolute, `shown` is how the program writes it. Only names and kinds of files are looked at.
 */
export function lookThrough(
  { root, shown }: { readonly root: string; readonly shown: string },
  walk: Walk,
  context: PlaceContext,
): Seen {
  const { files } = context.machine;
  const quiet: Seen = { kept: null, out: null, odd: null, whole: true };
  if (files === null) return quiet;
  const start = files.realPath(root);
  if (start === null) return quiet;
  if ((files.facts(start)?.kind ?? 'directory') !== 'directory')
    return walk.changes === true ? { ...quiet, kept: steering(start, context) } : quiet;
  return new Look(walk, context, files).from(start, shown);
}

interface Folder {
  readonly path: string;
  readonly shown: string;
  readonly level: number;
  /** Part of a name of the list stands in the path already, so the whole path is asked about. */
  readonly begun: boolean;
}

class Look {
  readonly #walk: Walk;
  readonly #context: PlaceContext;
  readonly #files: PlaceFiles;
  readonly #visited = new Set<string>();
  readonly #waiting: Folder[] = [];
  #start = '/';
  #entries = 0;
  #out: string | null = null;
  #odd: string | null = null;

  constructor(walk: Walk, context: PlaceContext, files: PlaceFiles) {
    this.#walk = walk;
    this.#context = context;
    this.#files = files;
  }

  from(start: string, shown: string): Seen {
    this.#start = start;
    const begun = foldedSegments(start).some((name) => mayBegin(name));
    this.#waiting.push({ path: start, shown, level: 1, begun });
    // The list grows while it is gone through, so that upper levels come first.
    for (const folder of this.#waiting) {
      if (this.#visited.has(folder.path)) continue;
      this.#visited.add(folder.path);
      const entries = this.#files.entries?.(folder.path);
      if (entries === undefined || entries === null) {
        // A folder that cannot be read cannot be read by the program either.
        if (entries === null && this.#files.facts(folder.path) === null) continue;
        return this.#seen(null, false);
      }
      this.#entries += entries.length;
      if (this.#entries > mostEntries) return this.#seen(null, false);
      for (const [name, kind] of entries) {
        const kept = this.#entry(folder, name, kind);
        if (kept !== null) return this.#seen(kept, true);
      }
    }
    return this.#seen(null, true);
  }

  #seen(kept: Placement | null, whole: boolean): Seen {
    return { kept, out: this.#out, odd: this.#odd, whole };
  }

  #entry(folder: Folder, name: string, kind: FolderEntry[1]): Placement | null {
    const { follows, hidden, linksOnly, opens, opensLinks = false } = this.#walk;
    if (!hidden && name.startsWith('.')) return null;
    const path = join(folder.path, name);
    const shown = join(folder.shown, name);
    if (this.#walk.odd?.(shown) === true && opens(name, shown)) this.#odd ??= shown;
    if (kind === 'link')
      return follows || opensLinks ? this.#link(path, { folder, name, shown }) : null;
    const begun = folder.begun || mayBegin(name.toLowerCase());
    if (kind === 'folder') return this.#folder(path, { folder, name, shown, begun });
    const changes = this.#walk.changes === true;
    if ((!begun && !changes) || linksOnly === true || !opens(name, shown)) return null;
    return changes ? steering(path, this.#context) : keptOf(placeOf(path, this.#context));
  }

  #folder(
    path: string,
    { folder, name, shown, begun }: { folder: Folder; name: string; shown: string; begun: boolean },
  ): null {
    if (folder.level < this.#walk.depth && this.#walk.enters(name))
      this.#waiting.push({ path, shown, level: folder.level + 1, begun });
    return null;
  }

  #link(
    path: string,
    { folder, name, shown }: { folder: Folder; name: string; shown: string },
  ): Placement | null {
    const real = this.#files.realPath(path);
    if (real === null) return null;
    const goes = this.#walk.follows && this.#files.facts(real)?.kind === 'directory';
    if (goes ? !this.#walk.enters(name) : !this.#walk.opens(name, shown)) return null;
    const placement = placeOf(path, this.#context);
    const changed = this.#walk.changes === true ? steering(real, this.#context) : null;
    const kept =
      changed ?? keptOf(placement) ?? (goes ? heldBelow(real, 'read', this.#context) : null);
    if (kept !== null && this.#walk.linksOnly === true) {
      this.#out ??= path;
      return null;
    }
    if (kept !== null) return kept;
    const { cwd, projects } = this.#context;
    const inside = [this.#start, ...(cwd === null ? [] : [cwd]), ...projects];
    if (inside.some((one) => isBelow(real, one))) {
      if (goes) this.#folder(real, { folder, name, shown, begun: true });
    } else if (placement.place !== 'system') this.#out ??= path;
    return null;
  }
}

function keptOf(placement: Placement): Placement | null {
  return placement.place === 'own' || placement.place === 'secret' ? placement : null;
}

/** The real path of a folder or file that lies in the project; null for any other. */
export function rootInside(path: string, context: PlaceContext): string | null {
  const { machine, cwd, projects } = context;
  const real = machine.files?.realPath(path) ?? null;
  const around = [...(cwd === null ? [] : [cwd]), ...projects];
  return real !== null && around.some((one) => isBelow(real, one)) ? real : null;
}

/** A file that decides what runs or who may read: none that a change of many files was meant for. */
function steering(path: string, context: PlaceContext): Placement | null {
  const placement = placeOf(path, context);
  const steers =
    guards(placement) ||
    placement.place === 'metadata' ||
    isRecipe(placement) ||
    isHidden(placement, context.cwd);
  return steers ? placement : null;
}

function join(folder: string, name: string): string {
  return folder.endsWith('/') ? `${folder}${name}` : `${folder}/${name}`;
}
