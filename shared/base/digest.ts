/** The UTF-8 bytes of a text; a lone surrogate becomes U+FFFD, as everywhere else. */
export function utf8Bytes(text: string): readonly number[] {
  const bytes: number[] = [];
  for (const point of text) {
    const given = point.codePointAt(0) ?? 0;
    const code = given >= 0xd800 && given <= 0xdfff ? 0xfffd : given;
    if (code < 0x80) bytes.push(code);
    else if (code < 0x800) bytes.push(0xc0 | (code >> 6), tail(code));
    else if (code < 0x10000) bytes.push(0xe0 | (code >> 12), tail(code >> 6), tail(code));
    else bytes.push(0xf0 | (code >> 18), tail(code >> 12), tail(code >> 6), tail(code));
  }
  return bytes;
}

function tail(bits: number): number {
  return 0x80 | (bits & 0x3f);
}

/**
 * sha256 (FIPS 180-4) of a text's UTF-8 bytes, in hex. For pure code that has no Node at hand, on
 * short texts that are no secret; files and keys are hashed by Node.
 */
export function sha256(text: string): string {
  const state = [...initialState];
  const blocks = padded(utf8Bytes(text));
  for (let offset = 0; offset < blocks.length; offset += 64) {
    compress(state, blocks.subarray(offset, offset + 64));
  }
  return state.map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

const primes = firstPrimes(64);
const initialState = primes.slice(0, 8).map((prime) => fractionBits(Math.sqrt(prime)));
const roundConstants = primes.map((prime) => fractionBits(Math.cbrt(prime)));

function padded(bytes: readonly number[]): Uint8Array {
  const blocks = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  blocks.set(bytes);
  blocks[bytes.length] = 0x80;
  const view = new DataView(blocks.buffer);
  view.setBigUint64(blocks.length - 8, BigInt(bytes.length) * 8n);
  return blocks;
}

function compress(state: number[], block: Uint8Array): void {
  const schedule = scheduleOf(block);
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let round = 0; round < 64; round += 1) {
    const sumE = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const choice = (e & f) ^ (~e & g);
    const one = (h + sumE + choice + (roundConstants[round] ?? 0) + (schedule[round] ?? 0)) | 0;
    const sumA = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + sumA + majority) | 0];
  }
  for (const [index, word] of [a, b, c, d, e, f, g, h].entries()) {
    state[index] = ((state[index] ?? 0) + word) | 0;
  }
}

function scheduleOf(block: Uint8Array): readonly number[] {
  const view = new DataView(block.buffer, block.byteOffset, 64);
  const words = Array.from({ length: 16 }, (_, index) => view.getInt32(index * 4));
  for (let index = 16; index < 64; index += 1) {
    const old = words[index - 15] ?? 0;
    const recent = words[index - 2] ?? 0;
    const low = rotate(old, 7) ^ rotate(old, 18) ^ (old >>> 3);
    const high = rotate(recent, 17) ^ rotate(recent, 19) ^ (recent >>> 10);
    words.push(((words[index - 16] ?? 0) + low + (words[index - 7] ?? 0) + high) | 0);
  }
  return words;
}

function rotate(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

/** The first 32 bits of the fractional part. */
function fractionBits(value: number): number {
  return Math.floor((value - Math.floor(value)) * 2 ** 32) | 0;
}

function firstPrimes(count: number): readonly number[] {
  const found: number[] = [];
  for (let candidate = 2; found.length < count; candidate += 1) {
    if (found.every((prime) => candidate % prime !== 0)) found.push(candidate);
  }
  return found;
}
