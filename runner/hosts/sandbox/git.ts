import { resolve } from 'node:path';
import type { Entry } from './message.ts';
import type { Layer, Owner, RootFiles } from './root.ts';
import { isBelow, overlaps, parentOf } from './paths.ts';

/** Repositories in one folder for which every name that leads to them can be held in place. */
const mostRepositories = 100;
/** And for which their histories can all be written in one command. */
const mostLayers = 16;

/** One work tree's view of a history. Absolute real paths. */
export interface HistoryPlace {
  /** Git's folder, which all work trees of the history share. */
  readonly common: string;
  /** In it, where this work tree has its own HEAD and index: empty, or `worktrees/NAME/`. */
  readonly own: string;
}

export type HistoryOf = (place: HistoryPlace, owner: Owner) => Layer | null;

/** What Git in one folder needs, and what the command must not change there. */
interface GitFolders {
  readonly entries: readonly Entry[];
  /** Why this folder cannot be written safely; null where it can. */
  readonly problem: string | null;
}

/**
 * Git's own folders are read-only or under a layer, and with them the names under which the person's
 * Git finds them: whoever may write there decides what it runs next. Of a linked worktree also where
 * it leads. A folder without a history of its own is looked through for projects, two folders deep,
 * and one that is begun in it lies in a layer.
 */
export function gitOf(
  folder: string,
  files: RootFiles,
  ownHome: string,
  layerOf: (place: HistoryPlace) => Layer | null = () => null,
): GitFolders {
  const path = `${folder}/.git`;
  const found = files.facts(path);
  const layered = (place: HistoryPlace): readonly Entry[] | null => {
    const layer = layerOf(place);
    if (layer === null) return null;
    const { common } = place;
    return [
      { kind: 'overlay', target: common, lower: common, ...layer },
      ...alternatesOf(common, files),
    ];
  };
  if (found === null) {
    if (isHistory(folder, files))
      return { entries: [], problem: "it is Git's own folder, which cannot be held in place" };
    const below = projectsIn(folder, files);
    if (below.length > mostRepositories)
      return { entries: [], problem: 'it holds too many projects' };
    const each = below.map((one) =>
      gitOf(one, files, ownHome, below.length > mostLayers ? undefined : layerOf),
    );
    const own = layered({ common: path, own: '' }) ?? [];
    return {
      entries: below.reduce<readonly Entry[]>(
        (all, one, index) => [
          ...all,
          ...pins(folder, `${one}/.git`),
          ...(each[index]?.entries ?? []),
        ],
        own,
      ),
      problem: each.find((one) => one.problem !== null)?.problem ?? null,
    };
  }
  if (found.kind === 'link')
    return { entries: [], problem: 'its .git is a link, which cannot be held in place' };
  const own: Entry = { kind: 'bind', target: path, source: path };
  if (found.kind === 'directory') {
    const place = canBeLayered(path, files) ? { common: path, own: '' } : null;
    const entries = (place === null ? null : layered(place)) ?? [own];
    return { entries: [...entries, ...modulesOf(folder, files)], problem: null };
  }
  const place = found.kind === 'file' ? worktreeOf(path, files) : null;
  if (place === null || overlaps(place.common, ownHome)) return { entries: [own], problem: null };
  const { common } = place;
  const shown: Entry = { kind: 'bind', target: common, source: common, ifPresent: true };
  const entries = (canBeLayered(common, files) ? layered(place) : null) ?? [shown];
  return { entries: [own, ...entries], problem: null };
}

/** Where a history also finds objects, by full paths alone. */
export function alternatesOf(common: string, files: RootFiles): readonly Entry[] {
  return alternatesIn(common, files).flatMap((line): readonly Entry[] => {
    const source = line.startsWith('/') ? files.realPath(line) : null;
    if (source === null || files.facts(`${source}/pack`)?.kind !== 'directory') return [];
    return [{ kind: 'bind', target: source, source, ifPresent: true }];
  });
}

function alternatesIn(common: string, files: RootFiles): readonly string[] {
  const text = files.text(`${common}/objects/info/alternates`) ?? '';
  return text.split('\n').filter((line) => line !== '');
}

function isHistory(common: string, files: RootFiles): boolean {
  return (
    ['objects', 'refs'].every((name) => files.facts(`${common}/${name}`)?.kind === 'directory') &&
    files.facts(`${common}/HEAD`)?.kind === 'file'
  );
}

/**
 * Whether all that is done in a layer over it can be taken over: an empty folder, or a history with
 * plain files whose objects are all here.
 */
function canBeLayered(common: string, files: RootFiles): boolean {
  if (['HEAD', 'objects', 'config'].every((name) => files.facts(`${common}/${name}`) === null))
    return true;
  const settings = files.text(`${common}/config`) ?? '';
  return (
    isHistory(common, files) &&
    !/^\s*(?:refstorage|partialclone|promisor)\s*=/im.test(settings) &&
    alternatesIn(common, files).every((line) => files.realPath(line) === line)
  );
}

/**
 * A read-only place inside a writable folder: also every folder on the way is a mount of its own,
 * because a folder that only holds mounts could be moved away and made anew.
 */
export function guarded(folder: string, path: string): readonly Entry[] {
  return [...pins(folder, path), { kind: 'bind', target: path, source: path }];
}

interface GitSurroundings {
  readonly files: RootFiles;
  readonly ownHome: string;
  readonly layerOf: (place: HistoryPlace) => Layer | null;
}

/** The same, and for histories that were found further below: the way to them, and what they need. */
export function allOfGit(
  folder: string,
  found: readonly string[],
  { files, ownHome, layerOf }: GitSurroundings,
): GitFolders {
  const { entries, problem } = gitOf(folder, files, ownHome, layerOf);
  const held = new Set(entries.map(({ target }) => target));
  const more = found.filter((path) => !held.has(path) && files.facts(path) !== null);
  if (more.length > mostRepositories) return { entries, problem: 'it holds too many projects' };
  const below = more.flatMap((path) => {
    // A folder that is a history itself: nobody works in it, and its settings and hooks stay.
    if (!path.endsWith('/.git')) return guarded(folder, path);
    const own = gitOf(parentOf(path), files, ownHome, layerOf);
    return own.problem === null ? [...pins(folder, path), ...own.entries] : pins(folder, path);
  });
  return { entries: [...entries, ...below], problem };
}

/** The way to a path as mounts of its own, so that no folder on it can be moved. */
export function pins(folder: string, path: string): readonly Entry[] {
  const found: Entry[] = [];
  for (let at = parentOf(path); at !== folder && isBelow(at, folder); at = parentOf(at))
    found.push({ kind: 'bind', target: at, source: at, writable: true });
  return found;
}

function projectsIn(folder: string, files: RootFiles): readonly string[] {
  const foldersIn = (path: string) =>
    files.folders(path).filter((name) => name !== 'node_modules' && name !== '.git');
  const isProject = (path: string): boolean => files.facts(`${path}/.git`) !== null;
  return foldersIn(folder).flatMap((name) => {
    const path = `${folder}/${name}`;
    if (isProject(path)) return [path];
    return foldersIn(path)
      .map((inner) => `${path}/${inner}`)
      .filter(isProject);
  });
}

/**
 * The files by which Git finds the histories of submodules. Where these are is taken from Git's own
 * folder, which no command in a sandbox has written, and not from the project's list.
 */
function modulesOf(folder: string, files: RootFiles): readonly Entry[] {
  const settings = files.text(`${folder}/.git/config`) ?? '';
  const names = [...settings.matchAll(/^\s*\[submodule "([^"\\]+)"\]/gm)].map(([, name]) => name);
  return names.flatMap((name) => {
    const home = `${folder}/.git/modules/${name}`;
    const leads = /^\s*worktree = (\S.*)$/m.exec(files.text(`${home}/config`) ?? '')?.[1];
    const place = leads === undefined ? null : files.realPath(`${home}/${leads}`);
    if (place === null || place === folder || !isBelow(place, folder)) return [];
    return files.facts(`${place}/.git`)?.kind === 'file' ? guarded(folder, `${place}/.git`) : [];
  });
}

/**
 * The history that a linked worktree belongs to. A command may have written the file that leads
 * there, so the other end has to name this worktree, as Git itself demands, and to be a history.
 */
function worktreeOf(path: string, files: RootFiles): HistoryPlace | null {
  const leads = /^gitdir: (.+)$/m.exec(files.text(path) ?? '')?.[1];
  const own = leads === undefined ? null : files.realPath(resolve(parentOf(path), leads));
  const [, common, name] = /^(.+)\/worktrees\/([^/\s]+)$/.exec(own ?? '') ?? [];
  if (own === null || common === undefined || name === undefined) return null;
  const back = files.text(`${own}/gitdir`)?.trim();
  if (back === undefined || files.realPath(resolve(own, back)) !== path) return null;
  return isHistory(common, files) ? { common, own: `worktrees/${name}/` } : null;
}
