import { isBelow, parentOf } from '../plan/paths.ts';
import type { Analysis, Surroundings } from '../plan/types.ts';

/** Nothing below these is a workspace, and nothing that holds one of them. */
const systemFolders =
  '/bin /boot /dev /etc /lib /lib32 /lib64 /libx32 /proc /run /sbin /sys /usr /var/lib /var/run'.split(
    ' ',
  );

/**
 * Whether every file that a use of a tool changes lies in a workspace: a folder of
 * `exec.workspaces`, or the project around the working folder, or that folder where there is none.
 * An agent may choose its working folder, so home, what holds it, its hidden folders and the
 * system's own are never one.
 *
 * @param cwd absolute real path
 */
export function editsInWorkspace(
  analysis: Analysis,
  cwd: string,
  { files, home, workspaces }: Pick<Surroundings, 'files' | 'home' | 'workspaces'>,
): boolean {
  if (!analysis.ok) return false;
  const realHome = files.realPath(home) ?? home;
  const around = projectAround(cwd, realHome, files);
  const own = isWorkspace(around, realHome) ? [around] : [];
  const folders = [...workspaces, ...own];
  return analysis.plan.stages.every(
    ({ executable }) =>
      executable.kind === 'tool' && folders.some((folder) => isBelow(executable.target, folder)),
  );
}

/** The nearest folder with a `.git` around a folder, below home; that folder itself where there is none. */
export function projectAround(cwd: string, home: string, files: Surroundings['files']): string {
  for (let folder = cwd; folder !== '/' && folder !== home; folder = parentOf(folder))
    if (files.facts(`${folder}/.git`) !== null) return folder;
  return cwd;
}

function isWorkspace(folder: string, home: string): boolean {
  if (folder === '/' || isBelow(home, folder) || folder.startsWith(`${home}/.`)) return false;
  return !systemFolders.some((path) => isBelow(folder, path) || isBelow(path, folder));
}
