import { parseJson } from '../../../shared/base/index.ts';

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
