import { isBelow, parentOf } from './plan/paths.ts';
import { byName } from './places/context.ts';
import { placeOf } from './places/place-of.ts';
import type { PlaceContext, PlaceFiles } from './places/types.ts';

/** Programs and what they need of the system. Of /etc only what names nobody and configures nothing. */
export const systemPaths: readonly string[] = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/opt',
  '/etc/alternatives',
  '/etc/ld.so.cache',
  '/etc/localtime',
  '/etc/ssl/certs',
  '/etc/ca-certificates',
  '/etc/pki/tls/certs',
  '/etc/pki/ca-trust/extracted',
  '/etc/mime.types',
  '/etc/terminfo',
  '/nix/store',
];

/** Below home, readable and never writable: settings without secrets, and installed tools. */
export const readableAtHome: readonly string[] = [
  '.gitconfig',
  '.config/git/config',
  '.config/git/ignore',
  '.config/git/attributes',
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  '.ssh/known_hosts',
  '.config/gh/config.yml',
  '.claude/shell-snapshots',
  '.nvm',
  '.fnm',
  '.local/share/fnm',
  '.volta',
  '.asdf',
  '.local/share/mise',
  '.pyenv',
  '.rbenv',
  '.rustup',
  '.sdkman/candidates',
  '.cargo/bin',
  '.local/bin',
  'go/bin',
];

/** No workspaces themselves: they hold others' files, and sockets of the person's session. */
const neverWorkspaces = new Set(
  '/ /bin /home /lib /lib32 /lib64 /libx32 /media /mnt /opt /root /sbin /srv /tmp /var /var/tmp'.split(
    ' ',
  ),
);
/** Nor is anything in these. */
const neverInside = [
  '/boot',
  '/dev',
  '/etc',
  '/proc',
  '/run',
  '/sys',
  '/usr',
  '/var/lib',
  '/var/run',
];

/**
 * Folders that hold many things of a person, or what a machine serves: one of them is a workspace
 * only where it was named, or is a project. What is in them may be one.
 */
const collections = new Set(['/var/www', '/var/www/html', '/srv/www', '/srv/http', '/var/opt']);
const collectionsAtHome = new Set(
  `Desktop Documents Downloads Music Pictures Public Templates Videos Movies Library Dropbox OneDrive
  Schreibtisch Dokumente Musik Bilder Öffentlich Vorlagen Bureau Téléchargements Images Musique
  Escritorio Documentos Descargas Música Imágenes`.split(/\s+/),
);

/** What the workspace of a folder depends on. Paths are absolute and real. */
interface WorkspaceSurroundings {
  /** The folders that `exec.workspaces` names. */
  readonly given: readonly string[];
  /** As it is written, and as it really is. */
  readonly homes: readonly [written: string, real: string];
  readonly isThere: (path: string) => boolean;
}

/** The folder that a sandbox may change for commands of a folder, or why there can be none. */
type Workspace =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly path: string; readonly why: string };

/** The workspace of a folder: the project around it or a configured folder, whichever is nearer. */
export function workspaceOf(
  cwd: string,
  { given, homes, isThere }: WorkspaceSurroundings,
): Workspace {
  const [home, realHome] = homes;
  const around = given.filter((path) => isBelow(cwd, path));
  const project = projectAround(cwd, realHome, isThere);
  const [path = cwd] = [...around, ...(project === null ? [] : [project])].toSorted(
    (a, b) => b.length - a.length,
  );
  const unfit = (why: string): Workspace => ({ ok: false, path, why });
  if (neverWorkspaces.has(path) || neverInside.some((folder) => isBelow(path, folder)))
    return unfit('it belongs to the system');
  if (isBelow(realHome, path) || isBelow(home, path)) return unfit('it holds your home folder');
  const isChosen = around.length > 0 || project !== null;
  if (!isChosen && isCollection(path, homes))
    return unfit('it holds many things of yours, or what is served, and is not a project');
  if (around.length === 0 && liesAmongSettings(path, realHome, project !== null))
    return unfit('it lies in a hidden folder of your home, among settings and keys');
  return { ok: true, path };
}

function isCollection(path: string, homes: readonly string[]): boolean {
  if (collections.has(path)) return true;
  return homes.some(
    (home) => isBelow(path, home) && collectionsAtHome.has(path.slice(home.length + 1)),
  );
}

/** Agents keep worktrees of projects in hidden folders; what else is there steers programs. */
function liesAmongSettings(path: string, home: string, isProject: boolean): boolean {
  if (!path.startsWith(`${home}/.`)) return false;
  return !isProject || !/^\.[^/]+\/worktrees\/./.test(path.slice(home.length + 1));
}

function projectAround(
  cwd: string,
  home: string,
  isThere: WorkspaceSurroundings['isThere'],
): string | null {
  for (let folder = cwd; folder !== '/' && folder !== '' && folder !== home;)
    if (isThere(`${folder}/.git`)) return folder;
    else folder = parentOf(folder);
  return null;
}

/**
 * What becomes of a file or folder of a workspace where nobody allowed the command: `hide` what holds
 * secrets, `keep` as it is what steers or runs later, null for all else.
 */
type WorkspaceCare = 'hide' | 'keep' | null;

/**
 * What becomes of a path of a workspace.
 *
 * @param by `name` says what may become of it, whatever is in it now; `content`, as it is now
 */
export type CareOf = (path: string, by: 'name' | 'content') => WorkspaceCare;

/**
 * Says what becomes of paths of a workspace, by the one list of places. Names decide; where the list
 * asks for content, the file is looked into.
 *
 * @param workspace absolute and real
 */
export function careIn(
  workspace: string,
  { home, files }: { readonly home: string; readonly files: PlaceFiles },
): CareOf {
  const context: PlaceContext = {
    machine: { home, platform: 'linux', temporary: [], path: [], known: [], files },
    cwd: workspace,
    projects: [workspace],
  };
  const named = byName(context);
  return (path, by) => {
    const care = careOf(path, named);
    return care === null || by === 'name' ? care : careOf(path, context);
  };
}

function careOf(path: string, context: PlaceContext): WorkspaceCare {
  const { place } = placeOf(path, context);
  if (place === 'secret' || place === 'own') return 'hide';
  return place === 'steers' || place === 'runs-later' ? 'keep' : null;
}
