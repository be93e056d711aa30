import { parseJson } from '../../../shared/base/index.ts';

/** Cuts a stream of bytes into lines, each with its newline. */
export interface LineCutter {
  /** The lines that are whole with these bytes. Throws when one is longer than the limit. */
  push(bytes: Buffer): readonly Buffer[];
  /** What came after the last newline. */
  rest(): Buffer;
}

const newline = 0x0a;

/** `limit` is the length of the longest line, in bytes. */
export function lineCutter(limit: number): LineCutter {
  let parts: Buffer[] = [];
  let held = 0;
  return {
    push: (bytes) => {
      const lines: Buffer[] = [];
      let from = 0;
      for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, from)) {
        lines.push(Buffer.concat([...parts, bytes.subarray(from, at + 1)]));
        parts = [];
        held = 0;
        from = at + 1;
      }
      if (from < bytes.length) {
        parts.push(Buffer.from(bytes.subarray(from)));
        held += bytes.length - from;
      }
      if (held > limit || lines.some((line) => line.length > limit))
        throw new Error(`A line is longer than ${String(limit)} bytes.`);
      return lines;
    },
    rest: () => Buffer.concat(parts),
  };
}

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
  const parsed = parseJson(line);
  if (!parsed.ok) return unclear;
  const { value } = parsed;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return unclear;
  const { id, method, params, result } = value as Readonly<Record<string, unknown>>;
  if (hasTwins(value)) return unclear;
  if (method !== undefined && typeof method !== 'string') return unclear;
  if (method === undefined)
    return isId(id) || id === null ? { kind: 'response', id: id ?? '', result } : unclear;
  if (!Object.hasOwn(value, 'id')) return { kind: 'notification', method, params };
  return isId(id) ? { kind: 'request', id, method, params } : unclear;
}

function isId(id: unknown): id is Id {
  return typeof id === 'string' || (typeof id === 'number' && Number.isSafeInteger(id));
}

/** Whether names differ by case alone: some readers take one for the other. */
function hasTwins(message: object): boolean {
  const names = Object.keys(message);
  return new Set(names.map((name) => name.toLowerCase())).size < names.length;
}
