import { resolve } from 'node:path';
import type { Entry } from './message.ts';
import type { RootFiles } from './root.ts';
import { isBelow, overlaps, parentOf } from './paths.ts';

/** Repositories in one folder for which every name that leads to them can be held in place. */
const mostRepositories = 100;

/** What Git in one folder needs, and what the command must not change there. */
export interface GitFolders {
  readonly entries: readonly Entry[];
  /** Why this folder cannot be written safely; null where it can. */
  readonly problem: string | null;
}

/**
 * Git's own folders are read-only, and with them the names under which the person's Git finds them:
 * whoever may write there decides what it runs next. Of a linked worktree also where it leads. A
 * folder without a history of its own is looked through for projects, two folders deep.
 */
export function gitOf(folder: string, files: RootFiles, ownHome: string): GitFolders {
  const found = files.facts(`${folder}/.git`);
  if (found === null) {
    const below = projectsIn(folder, files);
    if (below.length > mostRepositories)
      return { entries: [], problem: 'it holds too many projects' };
    const each = below.map((path) => gitOf(path, files, ownHome));
    return {
      entries: below.flatMap((path, index) => [
        ...pins(folder, `${path}/.git`),
        ...(each[index]?.entries ?? []),
      ]),
      problem: each.find((one) => one.problem !== null)?.problem ?? null,
    };
  }
  const path = `${folder}/.git`;
  if (found.kind === 'link')
    return { entries: [], problem: 'its .git is a link, which cannot be held in place' };
  const own: Entry = { kind: 'bind', target: path, source: path };
  if (found.kind === 'directory')
    return { entries: [own, ...modulesOf(folder, files)], problem: null };
  const leads = found.kind === 'file' ? worktreeOf(path, files) : null;
  if (leads === null || overlaps(leads, ownHome)) return { entries: [own], problem: null };
  return {
    entries: [own, { kind: 'bind', target: leads, source: leads, ifPresent: true }],
    problem: null,
  };
}

/**
 * A read-only place inside a writable folder: also every folder on the way is a mount of its own,
 * because a folder that only holds mounts could be moved away and made anew.
 */
export function guarded(folder: string, path: string): readonly Entry[] {
  return [...pins(folder, path), { kind: 'bind', target: path, source: path }];
}

function pins(folder: string, path: string): readonly Entry[] {
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
function worktreeOf(path: string, files: RootFiles): string | null {
  const leads = /^gitdir: (.+)$/m.exec(files.text(path) ?? '')?.[1];
  const own = leads === undefined ? null : files.realPath(resolve(parentOf(path), leads));
  const common = own === null ? undefined : /^(.+)\/worktrees\/[^/]+$/.exec(own)?.[1];
  if (own === null || common === undefined) return null;
  const back = files.text(`${own}/gitdir`)?.trim();
  if (back === undefined || files.realPath(resolve(own, back)) !== path) return null;
  const isHistory = ['objects', 'refs'].every(
    (name) => files.facts(`${common}/${name}`)?.kind === 'directory',
  );
  return isHistory && files.facts(`${common}/HEAD`)?.kind === 'file' ? common : null;
}
