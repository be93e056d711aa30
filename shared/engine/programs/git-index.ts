import { joinPath, parentOf } from '../plan/paths.ts';
import type { FileView } from '../plan/types.ts';

/** Larger lists of Git are not read: so many bytes stand for one that is. */
const mostIndexBytes = 4_194_304;
/** And no more folders are looked at for the names in one. */
const mostFolders = 5_000;

/**
 * The names that Git has on its list for the folder, as `git ls-files` prints them there. They need
 * not lie in the tree, and whoever writes the index chooses them. None without a repository; null
 * where they cannot be told, or one does not lead where it says: over a link, out, or into `.git`.
 */
export function namesOnList(cwd: string, files: FileView): readonly string[] | null {
  const found = repositoryOf(cwd, files);
  if (found === null) return null;
  if (found === 'none') return [];
  const config = files.head(joinPath(found.folder, 'config'), 65_536) ?? new Uint8Array();
  if (config.length >= 65_536 || /\bworktree\s*=|\[\s*include/i.test(text(config, 0))) return null;
  const index = joinPath(found.folder, 'index');
  if (files.facts(index) === null) return [];
  const bytes = files.head(index, mostIndexBytes);
  const all = bytes === null ? null : namesInIndex(bytes);
  if (all === null) return null;
  const below =
    found.top === cwd ? '' : `${cwd.slice(found.top === '/' ? 1 : found.top.length + 1)}/`;
  const names = all.flatMap((name) => (name.startsWith(below) ? [name.slice(below.length)] : []));
  if (names.some((name) => name.split('/').some((part) => /^(?:\.{0,2}|\.git)$/i.test(part))))
    return null;
  const folders = new Set(names.map((name) => name.slice(0, Math.max(0, name.lastIndexOf('/')))));
  if (folders.size > mostFolders) return null;
  const isStraight = (folder: string): boolean => {
    const path = joinPath(cwd, folder);
    return [path, null].includes(files.realPath(path));
  };
  return [...folders].every(isStraight) ? names : null;
}

/** Where Git looks for its list, and the top of the tree; null where that is not plain to see. */
function repositoryOf(
  cwd: string,
  files: FileView,
): { readonly top: string; readonly folder: string } | 'none' | null {
  if (files.realPath(cwd) !== cwd) return null;
  for (let top = cwd; ; top = parentOf(top)) {
    const own = joinPath(top, '.git');
    const facts = files.facts(own);
    if (facts?.kind === 'directory') return { top, folder: own };
    if (facts !== null) {
      // A worktree or a submodule: its folder stands elsewhere.
      const said = text(files.head(own, 4_096) ?? new Uint8Array(), 0);
      const named = /^gitdir: ([^\n]+)\n*$/.exec(said)?.[1];
      return named === undefined ? null : { top, folder: joinPath(top, named) };
    }
    // A folder can be a repository without one.
    if (files.facts(joinPath(top, 'HEAD')) !== null && files.facts(joinPath(top, 'refs')) !== null)
      return null;
    if (top === '/') return 'none';
  }
}

/** Where the flags of an entry stand, and its name begins. */
const flagsAt = 60;
const entryHead = 62;
/** What ends the file. */
const sumBytes = 20;

/**
 * The names in an index of Git of the second or third version; null for any other, for one that is
 * parted or thinned out, and where files are still to be merged.
 */
export function namesInIndex(bytes: Uint8Array): readonly string[] | null {
  if (bytes.length >= mostIndexBytes) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 12 + sumBytes || text(bytes, 0, 4) !== 'DIRC') return null;
  const version = view.getUint32(4);
  const count = view.getUint32(8);
  if (version !== 2 && version !== 3) return null;
  const names: string[] = [];
  let at = 12;
  for (let entry = 0; entry < count; entry += 1) {
    if (at + entryHead >= bytes.length) return null;
    const flags = view.getUint16(at + flagsAt);
    // A stage of a merge, or more flags: a folder that stands for what lies in it.
    if ((flags & 0x7000) !== 0) return null;
    const from = at + entryHead;
    const end = bytes.indexOf(0, from);
    // The length stands beside the name: with longer sums in front of it nothing fits.
    if (end === -1 || Math.min(end - from, 0xfff) !== (flags & 0xfff)) return null;
    names.push(text(bytes, from, end));
    at += Math.ceil((end - at + 1) / 8) * 8;
  }
  return extensionsAreKnown(bytes, view, at) ? names : null;
}

/** Of the lists behind the names only those that say nothing of names. */
function extensionsAreKnown(bytes: Uint8Array, view: DataView, from: number): boolean {
  const end = bytes.length - sumBytes;
  let at = from;
  while (at + 8 <= end && /^(?:TREE|REUC|UNTR|FSMN|EOIE|IEOT)$/.test(text(bytes, at, at + 4)))
    at += 8 + view.getUint32(at + 4);
  return at === end;
}

function text(bytes: Uint8Array, from: number, to = bytes.length): string {
  return String.fromCharCode(...bytes.subarray(from, to));
}
