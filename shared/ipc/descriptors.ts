import canonicalizeModule from 'canonicalize';
import { createHmac, timingSafeEqual } from 'node:crypto';

// Its types describe an ES module; what Node hands out is the function itself.
const canonicalize = canonicalizeModule as unknown as (input: unknown) => string | undefined;

/** A file of a shared folder, with its signature or without. */
type Body = Readonly<Record<string, unknown>>;

/** The RFC 8785 form of one value. Throws for what is not JSON. */
function canonical(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new Error('only JSON can be signed');
  return text;
}

/** HMAC-SHA256 (base64) over the RFC 8785 form of the body without its field `hmac`. */
function descriptorMac(key: Uint8Array, body: Body): string {
  const signed = Object.fromEntries(Object.entries(body).filter(([name]) => name !== 'hmac'));
  return createHmac('sha256', key).update(canonical(signed), 'utf8').digest('base64');
}

/** The body with its signature. */
export function signDescriptor<B extends object>(
  key: Uint8Array,
  body: B,
): B & { readonly hmac: string } {
  return { ...body, hmac: descriptorMac(key, { ...(body as Body) }) };
}

/** Whether the field `hmac` is right for the rest. Compares in constant time. */
export function isSignedDescriptor(key: Uint8Array, body: object): boolean {
  const fields: Body = { ...body };
  const { hmac } = fields;
  if (typeof hmac !== 'string') return false;
  const given = Buffer.from(hmac, 'utf8');
  const right = Buffer.from(descriptorMac(key, fields), 'utf8');
  return given.length === right.length && timingSafeEqual(given, right);
}

/**
 * A body as the text of its file: YAML with a field a line, in the order of their names, each value in
 * its RFC 8785 form. So a shell can put together what was signed without understanding it.
 */
export function descriptorText(body: object): string {
  return Object.entries(body)
    .filter(([, value]) => value !== undefined)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${name}: ${canonical(value)}\n`)
    .join('');
}

/**
 * Reads what `descriptorText` writes, and nothing else of YAML. Null for any other text: a line that
 * is not `name: JSON`, a name that stands twice.
 */
export function readDescriptorText(text: string): Body | null {
  const body = new Map<string, unknown>();
  if (!text.endsWith('\n')) return null;
  for (const line of text.slice(0, -1).split('\n')) {
    const [, name, value] = /^([a-z_]{1,32}): ([^\n]+)$/u.exec(line) ?? [];
    if (name === undefined || value === undefined || body.has(name)) return null;
    try {
      body.set(name, JSON.parse(value));
    } catch {
      return null;
    }
  }
  return Object.fromEntries(body);
}
