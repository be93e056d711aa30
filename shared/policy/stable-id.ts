/**
 * An id that is the same each time the same content is read: rules of older files have none, and a
 * random one would change with every read. FNV-1a, 64 bits; not a security measure.
 */
export function stableId(content: unknown): string {
  const text = JSON.stringify(content) ?? '';
  return `rule-${fnv(text, 0x811c9dc5)}${fnv(text, 0x01000193)}`;
}

function fnv(text: string, seed: number): string {
  let hash = seed;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, '0');
}
