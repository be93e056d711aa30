import { CliError } from './failure.ts';

/** Gathers the values of an option that may be repeated; commander hands over what came before. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

const unitMs: Readonly<Record<string, number>> = {
  ms: 1,
  '': 1000,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** Milliseconds of `500ms`, `30s`, `2m`, `1h`; a bare number counts seconds. Throws for the rest. */
export function parseDuration(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|)$/u.exec(text);
  const ms = match === null ? NaN : Number(match[1]) * (unitMs[match[2] ?? ''] ?? NaN);
  if (!Number.isFinite(ms) || ms < 1)
    throw new CliError(`"${text}" is not a duration.`, 'Write it like 30s, 2m, 1h or 500ms.');
  return Math.round(ms);
}

/** A duration for a person: `45 s`, `12 min`, `3 h`. */
export function sayDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${String(seconds)} s`;
  if (seconds < 7200) return `${String(Math.round(seconds / 60))} min`;
  return `${String(Math.round(seconds / 3600))} h`;
}

const day = 86_400_000;
const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: day, w: 7 * day };

/**
 * Milliseconds since the epoch of `2026-11-03`, `2026-11-03T14:00`, `2026-11-03T14:00:00Z` (all
 * UTC unless they say otherwise), or of `30m`, `2h`, `7d`, `4w` before `now`. With `end`, a day
 * alone means its end.
 */
export function parseMoment(
  text: string,
  { now, end = false }: { readonly now: number; readonly end?: boolean },
): number {
  const ago = /^(\d{1,6})([mhdw])$/u.exec(text);
  if (ago !== null) return now - Number(ago[1]) * (units[ago[2] ?? ''] ?? 0);
  const dated = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?(Z|[+-]\d{2}:\d{2})?)?$/u.exec(
    text,
  );
  const isDay = text.length === 10;
  const zoned = isDay || dated?.[1] !== undefined ? text : `${text}Z`;
  const at = dated === null ? NaN : Date.parse(zoned.replace(' ', 'T'));
  if (Number.isNaN(at))
    throw new CliError(
      `"${text}" is not a time.`,
      'Write it like 2026-11-03, 2026-11-03T14:00 (UTC), 2h or 7d.',
    );
  return isDay && end ? at + day : at;
}

/** A whole number of at least one, from an option. */
export function parseCount(text: string): number {
  const count = /^\d{1,7}$/u.test(text) ? Number(text) : 0;
  if (count > 0) return count;
  throw new CliError(`"${text}" is not a number of rows.`, 'Write it like 20.');
}
