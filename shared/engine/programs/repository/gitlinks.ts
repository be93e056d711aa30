import { textOf } from './utf8.ts';
/** Mode of an entry that stands for another repository. */
const gitlink = 0xe000;

/**
 * Paths of the other repositories in a git index: each has settings of its own, which git follows
 * when it looks into them. Null where the index cannot be read to its end, or goes on in another file.
 */
export function gitlinksIn(index: Uint8Array): readonly string[] | null {
  if (index.length < 12) return null;
  const view = new DataView(index.buffer, index.byteOffset, index.byteLength);
  if (view.getUint32(0) !== 0x44495243) return null;
  const version = view.getUint32(4);
  if (version < 2 || version > 4) return null;
  const links: string[] = [];
  let before = new Uint8Array(0);
  let at = 12;
  for (let left = view.getUint32(8); left > 0; left--) {
    if (at + 62 > index.length) return null;
    const mode = view.getUint32(at + 24) & 0xf000;
    const extended = (view.getUint16(at + 60) & 0x4000) !== 0;
    const start = at + (extended ? 64 : 62);
    const prefix = version === 4 ? prefixOf(index, start, before.length) : { kept: 0, at: start };
    if (prefix === null) return null;
    const end = index.indexOf(0, prefix.at);
    if (end === -1) return null;
    if (version === 4) {
      const own = index.subarray(prefix.at, end);
      const name = new Uint8Array(prefix.kept + own.length);
      name.set(before.subarray(0, prefix.kept));
      name.set(own, prefix.kept);
      before = name;
      at = end + 1;
      if (mode === gitlink) links.push(textOf(name));
    } else {
      if (mode === gitlink) links.push(textOf(index.subarray(start, end)));
      // Entries are filled up with zeros to a multiple of eight.
      at += (end - at + 8) & ~7;
    }
  }
  return continues(index, view, at) ? null : links;
}

/** How much of the name before begins this one; written as git writes numbers of any length. */
function prefixOf(
  index: Uint8Array,
  start: number,
  before: number,
): { readonly kept: number; readonly at: number } | null {
  let at = start;
  let byte = index[at++] ?? 0;
  let cut = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    if (at >= index.length || cut > before) return null;
    byte = index[at++] ?? 0;
    cut = ((cut + 1) << 7) | (byte & 0x7f);
  }
  return cut > before ? null : { kept: before - cut, at };
}

/** Whether a further part says that entries stand in another file. */
function continues(index: Uint8Array, view: DataView, start: number): boolean {
  for (let at = start; at + 8 < index.length - 20;) {
    if (view.getUint32(at) === 0x6c696e6b) return true;
    at += 8 + view.getUint32(at + 4);
  }
  return false;
}
