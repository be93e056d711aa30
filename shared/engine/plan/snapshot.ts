import type { FileView } from './types.ts';

/**
 * A view that asks the machine each question once. Made anew for each analysis, so that one analysis
 * sees one state of the file system, and no fact outlives it; what was decided is compared with the
 * machine again right before the start.
 */
export function snapshotOf(files: FileView): FileView {
  return {
    realPath: once((path) => files.realPath(path)),
    facts: once((path) => files.facts(path)),
    isLink: once((path) => files.isLink(path)),
    readLink: once((path) => files.readLink(path)),
    ...(files.entries === undefined
      ? {}
      : { entries: once((folder) => files.entries?.(folder) ?? null) }),
    // Asked for one length a path, and seldom.
    head: (path, bytes) => files.head(path, bytes),
  };
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
