/** `one` for exactly one, else `many`. */
export function plural(n: number, one: string, many: string): string {
  return n === 1 ? one : many;
}

const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** How long ago or ahead, in words of the language: `3 days ago`, `in 2 hours`. */
export function relativeTime(at: number, now: number, language: string): string {
  const seconds = Math.round((at - now) / 1000);
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'long' });
  for (const [unit, size] of units) {
    if (Math.abs(seconds) >= size) return format.format(Math.trunc(seconds / size), unit);
  }
  return format.format(0, 'second');
}

/** Date and time in full, for titles and machine-readable places. */
export function fullTime(at: number, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(at);
}

/** Date and time as short as a table row wants it. */
export function shortTime(at: number, language: string): string {
  return new Intl.DateTimeFormat(language, {
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
  }).format(at);
}

/** The name of a calendar day such as `2026-11-21`, which belongs to no time zone. */
export function dayName(day: string, language: string): string {
  const at = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(at)) return day;
  return new Intl.DateTimeFormat(language, {
    month: 'short',
    day: 'numeric',
    timeZone: 'UTC',
  }).format(at);
}

/** A piece of text; a `whole` one must not be broken at its hyphens. */
interface Piece {
  readonly word: string;
  readonly whole: boolean;
}

/** A text split around its hyphenated words; joined, the pieces are the text. */
export function hyphenated(text: string): readonly Piece[] {
  return text
    .split(/([^\s-]*-[^\s]*)/)
    .map((word, index) => ({ word, whole: index % 2 === 1 }))
    .filter(({ word }) => word !== '');
}
