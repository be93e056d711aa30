import { utf8Bytes } from '../../base/index.ts';
import type { Hidden } from './redact.ts';

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** What stands for a secret of which the value is known, in output and in texts that are kept. */
export const knownMark = '[redacted]';

/** Of a spelling no part that is this short tells anything, or could be told from other text. */
const fewest = 8;

/**
 * Every way in which a value may stand in a text, longest first: as it is, in base64 (also within a
 * longer text that was encoded, as in `Authorization: Basic`) of both alphabets, in base32,
 * percent-encoded, as hexadecimal digits, within a string of JSON, as text of HTML, with each of its
 * letters escaped, and, where it has lines, each line that is long enough.
 */
export function spellingsOf(value: string): readonly string[] {
  const bytes = [...utf8Bytes(value)];
  const hex = bytes.map(hexOf);
  const base64 = [0, 1, 2].map((before) => base64Within(bytes, before));
  const all = [
    value,
    value.trim(),
    ...base64,
    ...base64.map((one) => one.replaceAll('+', '-').replaceAll('/', '_')),
    ...base64.map((one) => encodeURIComponent(one)),
    ...percentSpellings(value),
    hex.map((two) => `%${two}`).join(''),
    hex.map((two) => `%${two.toUpperCase()}`).join(''),
    hex.join(''),
    hex.join('').toUpperCase(),
    ...base32Spellings(bytes),
    ...jsonSpellings(value),
    ...escapedSpellings(value),
    ...htmlEscapers.map((escaped) => changed(value, (one) => escaped[one] ?? one)),
    ...value.split(/\r?\n/u).map((line) => line.trim()),
  ];
  return [...new Set(all)]
    .filter((one) => one.length >= fewest)
    .toSorted((one, other) => other.length - one.length);
}

const hexOf = (byte: number): string => byte.toString(16).padStart(2, '0');

function changed(text: string, letter: (one: string) => string): string {
  return Array.from(text, letter).join('');
}

/** Of no more different characters than these any may be encoded and any left, whoever encodes. */
const mostFree = 4;

/** What encoders leave as it is, besides letters, digits and `-_.~`. */
const leftByEncoders = [
  '', // RFC 3986, Go, PHP
  "!*'()", // encodeURIComponent
  "!*'();/?:@&=+$,#", // encodeURI
  '/', // Python
  '*', // forms
  '$&+=:@', // Go, of a path
  "!*'()$&+,/:;=?@[\\]^`{|}%", // browsers, of a query
];

/** As a part of an address or a form, and of an address within one. */
function percentSpellings(value: string): readonly string[] {
  const special = [...new Set(value)].filter((one) => /[!-~]/u.test(one) && !/[\w.~-]/u.test(one));
  const left =
    special.length > mostFree
      ? leftByEncoders
      : Array.from({ length: 1 << special.length }, (_none, chosen) =>
          special.filter((_one, at) => (chosen & (1 << at)) !== 0).join(''),
        );
  return left.flatMap((some) => {
    const one = changed(value, (letter) =>
      /[\w.~-]/u.test(letter) || some.includes(letter) ? letter : percent(letter),
    );
    const lower = one.replaceAll(/%[0-9A-F]{2}/gu, (two) => two.toLowerCase());
    return [one, lower, one.replaceAll('%20', '+'), one.replaceAll('%', '%25')];
  });
}

function percent(letter: string): string {
  return [...utf8Bytes(letter)].map((byte) => `%${hexOf(byte).toUpperCase()}`).join('');
}

/** What writers of JSON give as numbers, besides what they have to. */
const numberedInJson = [
  /^$/u,
  /[<>&]/u, // Go, Rails
  /[<>&=']/u, // Gson
  /[<>&"'`+]/u, // .NET
];

/** Within a string of JSON; also where that is ASCII, or has its slashes escaped. */
function jsonSpellings(value: string): readonly string[] {
  const ascii = [/^$/u, /[^\0-\x7e]/u];
  return numberedInJson.flatMap((some) =>
    ascii.flatMap((beyond) => {
      const one = changed(value, (letter) =>
        some.test(letter) || beyond.test(letter)
          ? numbered(letter)
          : JSON.stringify(letter).slice(1, -1),
      );
      const upper = one.replaceAll(/\\u[0-9a-f]{4}/gu, (all) => `\\u${all.slice(2).toUpperCase()}`);
      return [one, upper].flatMap((each) => [each, each.replaceAll('/', '\\/')]);
    }),
  );
}

function numbered(letter: string): string {
  const units = Array.from({ length: letter.length }, (_none, at) => letter.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

const htmlText = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const htmlQuoted = { ...htmlText, '"': '&quot;' };

/** What servers write in the place of characters in a page. */
const htmlEscapers: readonly Readonly<Record<string, string>>[] = [
  htmlText,
  htmlQuoted,
  { ...htmlText, '"': '&#34;', "'": '&#39;' }, // Go, Jinja
  { ...htmlText, '"': '&#34;', "'": '&#39;', '+': '&#43;' }, // Go, in templates
  { ...htmlQuoted, "'": '&#39;' }, // Rails, Express
  { ...htmlQuoted, "'": '&#039;' }, // PHP
  { ...htmlQuoted, "'": '&#x27;' }, // Python, React
  { ...htmlQuoted, "'": '&#x27;', '+': '&#x2B;' }, // .NET
  { ...htmlQuoted, "'": '&#x27;', '/': '&#x2F;' }, // as OWASP has it
  { ...htmlQuoted, "'": '&#x27;', '`': '&#x60;', '=': '&#x3D;' }, // Handlebars
  { ...htmlQuoted, "'": '&#39;', '/': '&#x2F;', '`': '&#x60;', '=': '&#x3D;' }, // Mustache
];

/** Every letter by its number: as in programs, in pages, and as JavaScript's `escape` has them beyond Latin. */
function escapedSpellings(value: string): readonly string[] {
  const units = Array.from({ length: value.length }, (_none, at) => value.charCodeAt(at));
  const points = Array.from(value, (letter) => letter.codePointAt(0) ?? 0);
  const bytes = [...utf8Bytes(value)];
  const hex = (one: number): string => one.toString(16);
  const ways: readonly (readonly [readonly number[], (one: number) => string])[] = [
    [units, (one) => `\\u${hex(one).padStart(4, '0')}`],
    [units, (one) => `%u${hex(one).padStart(4, '0')}`],
    [points, (one) => `\\u{${hex(one)}}`],
    [points, (one) => `\\U${hex(one).padStart(8, '0')}`],
    [bytes, (one) => `\\x${hexOf(one)}`],
    [bytes, (one) => `\\${one.toString(8).padStart(3, '0')}`],
    [bytes, (one) => `=${hexOf(one)}`],
    [points, (one) => `&#${String(one)};`],
    [points, (one) => `&#${String(one).padStart(3, '0')};`],
    [points, (one) => `&#x${hex(one)};`],
    [points, (one) => `&#x${hex(one).padStart(4, '0')};`],
  ];
  return ways.flatMap(([numbers, one]) => {
    const text = numbers.map(one).join('');
    return [text, text.replaceAll(/[0-9a-f]+/gu, (digits) => digits.toUpperCase())];
  });
}

const letters32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** In base32, also within a longer text: the letters that only these bytes decide. */
function base32Spellings(bytes: readonly number[]): readonly string[] {
  return [0, 1, 2, 3, 4].map((before) => {
    const bits = bytes.map((byte) => byte.toString(2).padStart(8, '0')).join('');
    const shared = (5 - ((before * 8) % 5)) % 5;
    const groups = bits.slice(shared).match(/.{5}/gu) ?? [];
    return groups.map((five) => letters32.charAt(Number.parseInt(five, 2))).join('');
  });
}

/** The letters of base64 that only these bytes decide, where so many others stand before them. */
export function base64Within(bytes: readonly number[], before: number): string {
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
 *
 * @param known the spellings; or what takes them out of one text
 */
export function hideKnown<T>(value: T, known: readonly string[] | ((text: string) => string)): T {
  const text =
    typeof known === 'function'
      ? known
      : (one: string): string =>
          known.reduce((left, spelling) => left.replaceAll(spelling, knownMark), one);
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
