import { remembered } from '../../base/index.ts';

/** Names of files as the list has them: folded, so that no spelling of a name hides it. */

/** Invisible code points, among them those that HFS+ leaves out of a comparison. */
const ignored = /\p{Default_Ignorable_Code_Point}/gu;

/**
 * The segments of an absolute path, folded: lower case, Unicode in one form, without trailing dots
 * and spaces, streams of NTFS (`.git::$INDEX_ALLOCATION`), empty segments and `.`. `..` goes up, as
 * in text. Volumes that tell `.GIT` from `.git` exist; asking once more there does no harm.
 */
export function foldedSegments(path: string): string[] {
  // eslint-disable-next-line no-control-regex
  const ascii = /^[\x00-\x7f]*$/.test(path);
  const text = (
    ascii ? path : path.normalize('NFKC').replaceAll(ignored, '').normalize('NFC')
  ).toLowerCase();
  const segments: string[] = [];
  for (let from = 0; from <= text.length;) {
    let end = text.indexOf('/', from);
    if (end < 0) end = text.length;
    push(segments, text, { from, end });
    from = end + 1;
  }
  return segments;
}

/** The same for folders that come again with every path: of the request, of projects. */
export const foldedFolder: (path: string) => readonly string[] = remembered(foldedSegments);

function push(
  segments: string[],
  text: string,
  { from, end }: { readonly from: number; readonly end: number },
): void {
  if (end === from) return;
  let last = end;
  while (last > from && isTrailing(text.charCodeAt(last - 1))) last -= 1;
  if (last === from) {
    // Dots alone: here, one up, or a name that nobody lists.
    if (text.slice(from, end) === '..') segments.pop();
    else if (end - from > 2) segments.push(text.slice(from, end));
    return;
  }
  const name = text.slice(from, last);
  const stream = name.indexOf('::$');
  segments.push(stream > 0 ? name.slice(0, stream) : name);
}

/** `.` and space, which NTFS and FAT drop at the end of a name. */
function isTrailing(code: number): boolean {
  return code === 0x2e || code === 0x20;
}

/** Whether one folded name fits a pattern in which `*` stands for any part of it. */
export function nameFits(pattern: string, name: string): boolean {
  const star = pattern.indexOf('*');
  if (star < 0) return pattern === name;
  if (!name.startsWith(pattern.slice(0, star))) return false;
  const parts = pattern.split('*');
  const [head = ''] = parts;
  const tail = parts.at(-1) ?? '';
  if (name.length < head.length + tail.length) return false;
  if (!name.endsWith(tail)) return false;
  let at = head.length;
  for (const part of parts.slice(1, -1)) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= name.length - tail.length;
}

/** Whether segments from `start` begin with those of a pattern. */
export function startsWith(
  pattern: readonly string[],
  segments: readonly string[],
  start: number,
): boolean {
  if (segments.length - start < pattern.length) return false;
  for (let at = 0; at < pattern.length; at += 1)
    if (!nameFits(pattern[at] ?? '', segments[start + at] ?? '')) return false;
  return true;
}
