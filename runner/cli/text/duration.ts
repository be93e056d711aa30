import { CliError } from '../failure.ts';

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
