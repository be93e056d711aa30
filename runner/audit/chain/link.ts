import { createHmac, timingSafeEqual } from 'node:crypto';

/** What the first row of a log is chained to. */
export const genesis = '0'.repeat(64);

/** One line of the log: the row's exact text, its place, and the mac over both and the row before. */
export interface ChainLine {
  /** 1 for the first row of the home, never reused. */
  readonly seq: number;
  readonly mac: string;
  readonly rowText: string;
}

/** Where the chain stands: what the next row is chained to. */
export interface ChainHead {
  readonly seq: number;
  readonly mac: string;
}

export const chainStart: ChainHead = { seq: 0, mac: genesis };

const label = 'interlock audit chain 1';
const shape = /^\{"seq":([1-9]\d{0,15}),"mac":"([0-9a-f]{64})","row":(\{.*\})\}$/;

/**
 * HMAC-SHA256 over label, previous mac, place and exact text of the row. Without the key nobody can
 * make a row, change one, or move one to another place.
 */
export function linkMac(key: Uint8Array, previous: ChainHead, rowText: string): string {
  return createHmac('sha256', key)
    .update(`${label}\n${previous.mac}\n${previous.seq + 1}\n`)
    .update(rowText)
    .digest('hex');
}

/** The next line of the log, without its newline, and the head after it. */
export function appendLink(
  key: Uint8Array,
  previous: ChainHead,
  rowText: string,
): { readonly line: string; readonly head: ChainHead } {
  const head = { seq: previous.seq + 1, mac: linkMac(key, previous, rowText) };
  return { line: `{"seq":${head.seq},"mac":"${head.mac}","row":${rowText}}`, head };
}

/** Takes a line apart without changing a byte of the row; null when it does not have our shape. */
export function parseLink(line: string): ChainLine | null {
  const match = shape.exec(line);
  if (match === null) return null;
  const [, seq, mac, rowText] = match;
  return { seq: Number(seq), mac: mac ?? '', rowText: rowText ?? '' };
}

/** True when the line follows `previous` and carries the right mac. */
export function linksTo(key: Uint8Array, previous: ChainHead, line: ChainLine): boolean {
  if (line.seq !== previous.seq + 1) return false;
  const expected = Buffer.from(linkMac(key, previous, line.rowText), 'hex');
  return timingSafeEqual(expected, Buffer.from(line.mac, 'hex'));
}
