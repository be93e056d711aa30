import { utf8Bytes } from '../../base/index.ts';
import type { Hidden } from './redact.ts';

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** What stands for a secret of which the value is known, in output and in texts that are kept. */
export const knownMark = '[redacted]';

/** Of a spelling no part that is this short tells anything, or could be told from other text. */
const fewest = 8;

/**
 * Every way in which a value may stand in a text, longest first: as it is, in base64 (also within a
 * longer text that was encoded, as in `Authorization: Basic`) of both alphabets, percent-encoded,
 * as hexadecimal digits, as a string of JSON, and, where it has lines, each line that is long enough.
 */
export function spellingsOf(value: string): readonly string[] {
  const bytes = [...utf8Bytes(value)];
  const hex = bytes.map((byte) => byte.toString(16).padStart(2, '0'));
  const base64 = [0, 1, 2].map((before) => base64Within(bytes, before));
  const json = JSON.stringify(value).slice(1, -1);
  const percent = encodeURIComponent(value);
  const all = [
    value,
    value.trim(),
    json,
    json.replaceAll('/', '\\/'),
    ...base64,
    ...base64.map((one) => one.replaceAll('+', '-').replaceAll('/', '_')),
    ...base64.map((one) => encodeURIComponent(one)),
    percent,
    percent.replaceAll(/%[0-9A-F]{2}/gu, (one) => one.toLowerCase()),
    percent.replaceAll('%20', '+'),
    percent.replaceAll(/[!'()*]/gu, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`),
    hex.map((two) => `%${two}`).join(''),
    hex.map((two) => `%${two.toUpperCase()}`).join(''),
    hex.join(''),
    hex.join('').toUpperCase(),
    ...value.split(/\r?\n/u).map((line) => line.trim()),
  ];
  return [...new Set(all)]
    .filter((one) => one.length >= fewest)
    .toSorted((one, other) => other.length - one.length);
}

/** The letters of base64 that only these bytes decide, where so many others stand before them. */
function base64Within(bytes: readonly number[], before: number): string {
  const padded = [...Array.from({ length: before }, () => 0), ...bytes];
  let out = '';
  for (let at = 0; at + 2 < padded.length; at += 3) {
    const three = ((padded[at] ?? 0) << 16) | ((padded[at + 1] ?? 0) << 8) | (padded[at + 2] ?? 0);
    for (const shift of [18, 12, 6, 0]) out += letters.charAt((three >> shift) & 63);
  }
  const rest = padded.length % 3;
  if (rest > 0) {
    const last = padded.slice(-rest);
    const bits = ((last[0] ?? 0) << 16) | ((last[1] ?? 0) << 8);
    out += letters.charAt((bits >> 18) & 63);
    if (rest === 2) out += letters.charAt((bits >> 12) & 63);
  }
  return out.slice(before === 0 ? 0 : before + 1);
}

/** Where one of these spellings stands in a text. */
export function* knownIn(text: string, spellings: readonly string[]): Generator<Hidden> {
  for (const one of spellings)
    for (let from = text.indexOf(one); from !== -1; from = text.indexOf(one, from + 1))
      yield { from, to: from + one.length };
}

/**
 * Plain data with these spellings taken out of every text in it, names of fields too. What holds none
 * is given back as the same object.
 */
export function hideKnown<T>(value: T, spellings: readonly string[]): T {
  const text = (one: string): string =>
    spellings.reduce((left, spelling) => left.replaceAll(spelling, knownMark), one);
  const walk = (one: unknown): unknown => {
    if (typeof one === 'string') return text(one);
    if (typeof one !== 'object' || one === null) return one;
    return Array.isArray(one) ? list(one) : fields(one);
  };
  const list = (all: readonly unknown[]): unknown => {
    const made = all.map(walk);
    return made.some((one, at) => one !== all[at]) ? made : all;
  };
  const fields = (all: object): unknown => {
    // What says itself how it is written (a date) is looked at as that.
    if ('toJSON' in all) return walk(JSON.parse(JSON.stringify(all)) as unknown);
    const entries = Object.entries(all);
    const made = entries.map(([name, one]) => [text(name), walk(one)] as const);
    const isSame = made.every(
      ([name, one], at) => name === entries[at]?.[0] && one === entries[at][1],
    );
    return isSame ? all : Object.fromEntries(made);
  };
  return walk(value) as T;
}
