/** One message of JSON-RPC, of version 2.0 or Codex's form without the version. All untrusted. */
export type Message =
  | { readonly kind: 'request'; readonly id: Id; readonly method: string; readonly params: unknown }
  | { readonly kind: 'notification'; readonly method: string; readonly params: unknown }
  | { readonly kind: 'response'; readonly id: Id; readonly result: unknown }
  /** A line of which two readers could think differently. */
  | { readonly kind: 'unclear' };

export type Id = string | number;

/**
 * Reads one line. Whoever is at the other end of the relay reads it too, perhaps with another parser,
 * so whatever is not exactly one object with plain fields that each stand there once is `unclear`.
 */
export function readMessage(line: Buffer): Message {
  const unclear = { kind: 'unclear' } as const;
  let text: string;
  let value: unknown;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(line);
    value = JSON.parse(text);
  } catch {
    return unclear;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return unclear;
  const { id, method, params, result } = value as Readonly<Record<string, unknown>>;
  if (hasTwins(text)) return unclear;
  if (method !== undefined && typeof method !== 'string') return unclear;
  if (method === undefined)
    return isId(id) || id === null ? { kind: 'response', id: id ?? '', result } : unclear;
  if (!Object.hasOwn(value, 'id')) return { kind: 'notification', method, params };
  return isId(id) ? { kind: 'request', id, method, params } : unclear;
}

function isId(id: unknown): id is Id {
  return typeof id === 'string' || (typeof id === 'number' && Number.isSafeInteger(id));
}

/** Whether the outermost object of valid JSON names a field twice, or in another case as well. */
function hasTwins(text: string): boolean {
  const seen = new Set<string>();
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === '{' || sign === '[') depth += 1;
    else if (sign === '}' || sign === ']') depth -= 1;
    else if (sign === '"') {
      const end = endOfString(text, at);
      if (depth === 1 && /^\s*:/.test(text.slice(end + 1, end + 64))) {
        const name = (JSON.parse(text.slice(at, end + 1)) as string).toLowerCase();
        if (seen.has(name)) return true;
        seen.add(name);
      }
      at = end;
    }
  }
  return false;
}

/** Where the string that begins at `start` has its closing mark. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at;
  }
  return text.length;
}
