import type { FileFacts, FileView, PathStatus } from './types.ts';

/**
 * A view that asks the machine each question once. Made anew for each analysis, so that one analysis
 * sees one state of the file system, and no fact outlives it; what was decided is compared with the
 * machine again right before the start.
 *
 * Where the machine can tell in one look what lies at a path (`status`), the other questions about
 * plain paths are answered from such looks, one a name: a folder that many paths share is looked at
 * once. Paths with `.`, `..`, doubled slashes or links on the way go to the machine as they are.
 */
export function snapshotOf(files: FileView): FileView {
  const asked: FileView = {
    realPath: once((path) => files.realPath(path)),
    facts: once((path) => files.facts(path)),
    isLink: once((path) => files.isLink(path)),
    readLink: once((path) => files.readLink(path)),
    ...(files.entries === undefined
      ? {}
      : { entries: once((folder) => files.entries?.(folder) ?? null) }),
    // Asked for one length a path, and seldom.
    head: (path, bytes) => files.head(path, bytes),
    ...(files.isHead === undefined
      ? {}
      : { isHead: (path, bytes, before) => files.isHead?.(path, bytes, before) ?? false }),
  };
  return files.status === undefined ? asked : byStatus(asked, (path) => files.status?.(path));
}

function once<T>(ask: (path: string) => T): (path: string) => T {
  const known = new Map<string, T>();
  return (path) => {
    const answer = known.get(path);
    if (answer !== undefined || known.has(path)) return answer as T;
    const fresh = ask(path);
    known.set(path, fresh);
    return fresh;
  };
}

/** What a plain path turned out to be. */
interface Found {
  /** The path with all links followed; null where nothing can be reached by it. */
  readonly real: string | null;
  /** What lies at the path itself, where no link leads on the way there. */
  readonly status: PathStatus | null;
  /** No link is on the way to it; it may be one itself. */
  readonly direct: boolean;
}

const nothing: Found = { real: null, status: null, direct: true };

function byStatus(
  asked: FileView,
  status: (path: string) => PathStatus | null | undefined,
): FileView {
  const known = new Map<string, Found>();
  const find = (path: string): Found => {
    const seen = known.get(path);
    if (seen !== undefined) return seen;
    const found = look(path);
    known.set(path, found);
    return found;
  };
  const look = (path: string): Found => {
    if (path === '/') return { real: path, status: status(path) ?? null, direct: true };
    const slash = path.lastIndexOf('/');
    const folder = find(slash === 0 ? '/' : path.slice(0, slash));
    if (folder.real === null) return folder.direct ? nothing : { ...nothing, direct: false };
    // Behind a link the way is another one, and known by its own name.
    if (!folder.direct || folder.status?.isLink === true)
      return { real: asked.realPath(path), status: null, direct: false };
    if (folder.status?.kind !== 'directory') return nothing;
    const own = status(path) ?? null;
    if (own === null) return nothing;
    return { real: own.isLink ? asked.realPath(path) : path, status: own, direct: true };
  };
  const plain = (path: string): Found | null =>
    known.get(path) ?? (isPlain(path) ? find(path) : null);
  /** What is known of a path by its names alone; null where the machine has to be asked. */
  const direct = (path: string): Found | null => {
    const found = plain(path);
    return found?.direct === true ? found : null;
  };
  const hasNoText = (path: string): boolean => {
    const found = direct(path);
    return found !== null && (found.status === null || found.status.kind === 'directory');
  };
  return {
    ...asked,
    realPath(path) {
      const found = plain(path);
      return found === null ? asked.realPath(path) : found.real;
    },
    facts(path): FileFacts | null {
      const found = direct(path);
      return found === null || found.status?.isLink === true ? asked.facts(path) : found.status;
    },
    isLink(path) {
      const found = direct(path);
      return found === null ? asked.isLink(path) : found.status?.isLink === true;
    },
    readLink(path) {
      const found = direct(path);
      if (found === null || found.status?.isLink === true) return asked.readLink(path);
      return null;
    },
    head: (path, bytes) => (hasNoText(path) ? null : asked.head(path, bytes)),
    ...(asked.isHead === undefined
      ? {}
      : {
          isHead: (path, bytes, before) =>
            !hasNoText(path) && asked.isHead?.(path, bytes, before) === true,
        }),
  };
}

/** Longer ones are left to the machine, which knows its limits. */
const longest = 1024;

/** Absolute, and each name in it is one: what it says does not depend on what lies on the way. */
function isPlain(path: string): boolean {
  return (
    path.length < longest &&
    /^\/$|^(?:\/(?!\.{1,2}(?:\/|$))[^/\0\p{Surrogate}]{1,255})+$/u.test(path)
  );
}
