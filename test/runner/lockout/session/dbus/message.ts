/** The few kinds of D-Bus messages that logind exchanges with us, little-endian, as the specification has them. */

export const kinds = { call: 1, answer: 2, error: 3, signal: 4 } as const;

/** A value with its type: `s`, `o`, `g`, `u` and `b` are plain, the others hold values. */
export type Value =
  | { readonly type: 's'; readonly value: string }
  | { readonly type: 'o'; readonly value: string }
  | { readonly type: 'g'; readonly value: string }
  | { readonly type: 'u'; readonly value: number }
  | { readonly type: 'b'; readonly value: number }
  | { readonly type: 'v'; readonly value: Value }
  | { readonly type: 'struct'; readonly value: readonly Value[] }
  /** `of` is the signature of an element; a dict has elements of two values. */
  | { readonly type: 'array'; readonly of: string; readonly value: readonly Value[] };

export const s = (value: string): Value => ({ type: 's', value });
export const o = (value: string): Value => ({ type: 'o', value });
export const u = (value: number): Value => ({ type: 'u', value });
export const b = (value: boolean): Value => ({ type: 'b', value: value ? 1 : 0 });
export const v = (value: Value): Value => ({ type: 'v', value });
export const struct = (...value: readonly Value[]): Value => ({ type: 'struct', value });

/** Numbers of the header's fields. */
export const fields = {
  path: 1,
  interface: 2,
  member: 3,
  error: 4,
  replyTo: 5,
  destination: 6,
  sender: 7,
  signature: 8,
} as const;

export interface Message {
  readonly kind: number;
  readonly serial: number;
  readonly fields: readonly (readonly [number, Value])[];
  readonly body: readonly Value[];
}

class Writer {
  #bytes: number[] = [];

  align(to: number): void {
    while (this.#bytes.length % to !== 0) this.#bytes.push(0);
  }

  u32(value: number): void {
    this.align(4);
    for (let shift = 0; shift < 32; shift += 8) this.#bytes.push((value >>> shift) & 0xff);
  }

  byte(value: number): void {
    this.#bytes.push(value);
  }

  value(value: Value): void {
    if (value.type === 'u' || value.type === 'b') this.u32(value.value);
    else if (value.type === 'g') {
      this.byte(value.value.length);
      this.#text(value.value);
    } else if (value.type === 's' || value.type === 'o') {
      this.u32(Buffer.byteLength(value.value));
      this.#text(value.value);
    } else if (value.type === 'v') {
      this.value({ type: 'g', value: signatureOf(value.value) });
      this.value(value.value);
    } else if (value.type === 'struct') {
      this.align(8);
      for (const part of value.value) this.value(part);
    } else this.#array(value.of, value.value);
  }

  #text(text: string): void {
    this.#bytes.push(...Buffer.from(text), 0);
  }

  #array(of: string, values: readonly Value[]): void {
    this.u32(0);
    const at = this.#bytes.length - 4;
    this.align(/^[({]/u.test(of) ? 8 : 4);
    const start = this.#bytes.length;
    for (const value of values) this.value(value);
    const size = Buffer.alloc(4);
    size.writeUInt32LE(this.#bytes.length - start);
    this.#bytes.splice(at, 4, ...size);
  }

  get bytes(): Buffer {
    return Buffer.from(this.#bytes);
  }
}

export function signatureOf(value: Value): string {
  if (value.type === 'struct') return `(${value.value.map(signatureOf).join('')})`;
  return value.type === 'array' ? `a${value.of}` : value.type;
}

export function encode({ kind, serial, fields: named, body }: Message): Buffer {
  const content = new Writer();
  for (const value of body) content.value(value);
  const signature = body.map(signatureOf).join('');
  const all = [...named];
  if (signature !== '') all.push([fields.signature, { type: 'g', value: signature }]);
  const head = new Writer();
  for (const byte of [0x6c, kind, 0, 1]) head.byte(byte);
  head.u32(content.bytes.length);
  head.u32(serial);
  // The list begins at a multiple of eight, so it may be aligned by itself.
  const list = new Writer();
  for (const [code, value] of all) {
    list.align(8);
    list.byte(code);
    list.value(v(value));
  }
  head.u32(list.bytes.length);
  const padded = Buffer.concat([head.bytes, list.bytes]);
  return Buffer.concat([padded, Buffer.alloc((8 - (padded.length % 8)) % 8), content.bytes]);
}

/** What is read of a message that comes in: its plain header fields; a body is left alone. */
export interface Received {
  readonly kind: number;
  readonly serial: number;
  readonly fields: ReadonlyMap<number, string | number>;
}

/** The first message of what has come in, and how long it is; null while it is not whole. */
export function decode(
  bytes: Buffer,
): { readonly message: Received; readonly size: number } | null {
  if (bytes.length < 16) return null;
  const end = 16 + bytes.readUInt32LE(12);
  const size = end + ((8 - (end % 8)) % 8) + bytes.readUInt32LE(4);
  if (bytes.length < size) return null;
  const found = new Map<number, string | number>();
  for (let at = 16; at < end;) {
    at += (8 - (at % 8)) % 8;
    const code = bytes.readUInt8(at);
    const type = String.fromCharCode(bytes.readUInt8(at + 2));
    at += 4;
    if (type === 'g') {
      const length = bytes.readUInt8(at);
      found.set(code, bytes.toString('utf8', at + 1, at + 1 + length));
      at += length + 2;
      continue;
    }
    at += (4 - (at % 4)) % 4;
    const number = bytes.readUInt32LE(at);
    at += 4;
    if (type === 'u') found.set(code, number);
    else {
      found.set(code, bytes.toString('utf8', at, at + number));
      at += number + 1;
    }
  }
  return {
    message: { kind: bytes.readUInt8(1), serial: bytes.readUInt32LE(8), fields: found },
    size,
  };
}
