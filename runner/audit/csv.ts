import { displayPlain } from '../../shared/display/display.ts';
import type { LoggedRow } from './reading/rows.ts';

type CsvValue = string | number | readonly string[] | null | undefined;

/** Columns of an export, in order; a row leaves empty what it does not have. */
const columns =
  'seq time type id agent session host cwd command canonical decision code by reason ruleIds risk uid pid outcome exitCode signal durationMs text'.split(
    ' ',
  );

/** The first line of an export, with its line end. */
export const csvHead = `${columns.join(',')}\r\n`;

/** One row as a line of CSV (RFC 4180), with its line end. */
export function csvLine({ seq, row }: LoggedRow): string {
  const time = new Date(row.at).toISOString();
  const fields: Readonly<Record<string, CsvValue>> = { ...row, seq, time };
  return `${columns.map((column) => csvCell(fields[column])).join(',')}\r\n`;
}

/** What a spreadsheet takes for the begin of a formula, blanks in front or not. */
const formula = /^\s*[=+\-@|%＝＋－＠]|^[\t\n]/u;

/**
 * A cell that every reader takes for what it is. Text that a spreadsheet would run as a formula
 * gets an apostrophe in front; what cannot be seen is made visible, as in a terminal.
 */
export function csvCell(value: CsvValue): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const text = displayPlain(typeof value === 'string' ? value : value.join(' '));
  const safe = formula.test(text) ? `'${text}` : text;
  return /[",\n]/u.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}
