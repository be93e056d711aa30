/** What kind of place a path leads to. Everything here is plain data; paths are absolute. */

/** From the most serious to the plainest: where a path is of two kinds, the first one counts. */
export const places = [
  /** Interlock's own: whoever reads its token or writes its rules needs no approval any more. */
  'own',
  /** Keys, tokens, sessions and what else lets somebody in. */
  'secret',
  /** Settings, hooks and plug-ins of agents, Git, editors, environment tools and CI. */
  'steers',
  /** Start files, folders on the PATH, autostart, timers, units. */
  'runs-later',
  /** What Git and its like keep for themselves, and nothing is started from. */
  'metadata',
  'project',
  'temporary',
  'home',
  'system',
  'outside',
] as const;
export type Place = (typeof places)[number];

export interface Placement {
  readonly place: Place;
  /** Completes "PATH, which …": "holds the hooks that ask Interlock". */
  readonly reason: string;
  /** Where it was found: the path as the file system leads, or as it was written. */
  readonly path: string;
  /** How many leading segments of `path` make it this place. A rule that names it writes them out. */
  readonly reach: number;
  /** A change can switch off the hooks that ask Interlock; only the whole path names such a file. */
  readonly disarms: boolean;
}

/** A name in a folder, and what it stands for itself; pipes and devices count as files. */
export type FolderEntry = readonly [name: string, kind: 'file' | 'folder' | 'link'];

/** What the look at one path of the file system tells; the analysis' own view fits. */
export interface PlaceFiles {
  /** Canonical path with all symbolic links followed, or null when it does not exist. */
  realPath(path: string): string | null;
  facts(path: string): {
    readonly kind?: 'file' | 'directory' | 'other';
    readonly inode: number;
    /** Absent where the view does not tell: files are then known by path alone. */
    readonly device?: number;
    /** Permission bits and owner; absent where the view does not tell. */
    readonly mode?: number;
    readonly uid?: number;
  } | null;
  /** Whether the path itself is a symbolic link. */
  isLink(path: string): boolean;
  /** What a symbolic link holds, as written; null for anything else. */
  readLink?(path: string): string | null;
  /** At most `bytes` bytes from the start of a file, or null. */
  head(path: string, bytes: number): Uint8Array | null;
  /** What lies in a folder; null where it cannot be read, or holds too many names to list. */
  entries?(folder: string): readonly FolderEntry[] | null;
}

/** A place that only this machine can tell, such as the folder behind `INTERLOCK_HOME`. */
export interface KnownPlace {
  /** Absolute real path. It stands for itself and everything below. */
  readonly path: string;
  readonly place: Place;
  readonly reason: string;
  readonly disarms?: boolean;
  /**
   * `fileIdentity` of the file, or of the folder and all that is in it, so that hard links, bind
   * mounts and other names lead here as well.
   */
  readonly identities?: readonly string[];
}

/** What stays the same from one request to the next. Its lookups are kept by identity of the object. */
export interface PlaceMachine {
  /** Absolute, real. */
  readonly home: string;
  readonly platform: 'linux' | 'darwin' | 'win32';
  /** Folders for temporary files besides the usual ones. */
  readonly temporary: readonly string[];
  /** Folders of the PATH, as they really are. */
  readonly path: readonly string[];
  /** Interlock's own folder, hook folders that a repository names, files that hold an agent's hooks. */
  readonly known: readonly KnownPlace[];
  /** Null: nothing is looked at, a path is what it says. */
  readonly files: PlaceFiles | null;
}

export interface PlaceContext {
  readonly machine: PlaceMachine;
  /** Absolute real folder that relative paths start from; null where it cannot be known. */
  readonly cwd: string | null;
  /**
   * Real paths of the folders that a person gave to agents. The folder of a request counts as
   * project too, but excuses no dot path under home: an agent may choose it.
   */
  readonly projects: readonly string[];
}

/** How a file is known whatever it is called. */
export function fileIdentity(facts: { readonly inode: number; readonly device?: number }): string {
  return `${facts.device ?? ''}:${facts.inode}`;
}

/** One line of the list. */
export interface PlaceEntry {
  readonly place: Exclude<Place, 'temporary' | 'home' | 'system' | 'outside'>;
  /** Completes "PATH, which …". */
  readonly reason: string;
  /**
   * `.git/hooks` anywhere, `~/bin` in a home folder, `/etc/cron*` from the root. Each stands for
   * itself and everything below; `*` stands for any part of one name. Names are folded.
   */
  readonly at: readonly string[];
  readonly disarms?: true;
  /** Names or paths below that are not meant. */
  readonly below?: readonly string[];
  /** Names that fit the last segment and are not meant. */
  readonly not?: readonly string[];
  /** Only a file whose content fits, or whose content cannot be seen. */
  readonly holding?: RegExp;
}
