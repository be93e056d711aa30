import { once } from 'node:events';
import { displayPlain } from '../../../shared/base/index.ts';
import { answerWords } from '../../../shared/engine/index.ts';
import type { AuditRow, DecisionRow, LoggedRow, NoteRow, OutcomeRow } from '../../audit/rows.ts';
import type { Hit } from '../../audit/search.ts';
import type { Output } from '../io.ts';

/** Writes text, and waits until the reader has taken it: no export piles up in memory. */
export async function print(output: Output, text: string): Promise<void> {
  if (!output.write(text) && !output.destroyed) await once(output, 'drain');
}

/**
 * One row on one line of a terminal. Texts are display-safe, and a newline in a command cannot
 * pretend to be another row.
 */
export function rowLine({ seq, row }: LoggedRow): string {
  return `${head(seq, row)}  ${wordsOf(row)}`;
}

/** A decision with how it ended, or a note. */
export function hitLine({ seq, row, outcome }: Hit): string {
  const ended = outcome === null ? '' : `  [${endOf(outcome)}]`;
  return `${head(seq, row)}  ${row.type === 'note' ? noteWords(row) : decisionWords(row)}${ended}`;
}

function head(seq: number, { at }: AuditRow): string {
  return `${String(seq).padStart(6)}  ${timeOf(at)}`;
}

function wordsOf(row: AuditRow): string {
  if (row.type === 'decision') return decisionWords(row);
  if (row.type === 'outcome')
    return `${'ended'.padEnd(5)} ${oneLine(shortId(row.id))}  ${endOf(row)}`;
  return row.type === 'note' ? noteWords(row) : `start ${oneLine(shortId(row.id))}`;
}

function decisionWords(row: DecisionRow): string {
  const { decision, agent, code, cwd, command, reason, id, answers = [] } = row;
  const why = decision === 'deny' ? `  (${oneLine(reason)})` : '';
  const who = answers.length === 0 ? '' : `  {${answers.map(answerWords).map(oneLine).join('; ')}}`;
  return `${decision.padEnd(5)} ${oneLine(shortId(id))}  ${oneLine(agent)}  ${oneLine(code)}  ${oneLine(cwd)}  $ ${oneLine(command)}${why}${who}`;
}

function noteWords({ code, text }: NoteRow): string {
  return `note  ${oneLine(code)}: ${oneLine(text)}`;
}

function endOf({ outcome, exitCode, signal, durationMs, code }: OutcomeRow): string {
  const how = exitCode === null ? (signal ?? '') : `exit ${String(exitCode)}`;
  const took = durationMs === null ? '' : `${String(Math.round(durationMs))} ms`;
  return [outcome === 'executed' ? '' : outcome, how, took, code ?? '']
    .filter((word) => word !== '')
    .map(oneLine)
    .join(', ');
}

/** Enough of a random id to tell neighbours apart. */
function shortId(id: string): string {
  return id.slice(0, 8);
}

function timeOf(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? String(at) : date.toISOString().replace(/\.\d{3}Z$/u, 'Z');
}

function oneLine(text: string): string {
  return displayPlain(text).replaceAll('\n', '⏎ ').replaceAll('\t', ' ');
}

type CsvValue = string | number | readonly string[] | null | undefined;

/** Columns of an export, in order; a row leaves empty what it does not have. */
const columns =
  'seq time type id agent session host cwd command canonical decision code by reason ruleIds risk trust users channel uid pid outcome exitCode signal durationMs text advice answers'.split(
    ' ',
  );

/** The first line of an export, with its line end. */
export const csvHead = `${columns.join(',')}\r\n`;

/** One row as a line of CSV (RFC 4180), with its line end. */
export function csvLine({ seq, row }: LoggedRow): string {
  const time = new Date(row.at).toISOString();
  const advised = row.type === 'decision' ? row.advice : undefined;
  const advice =
    advised === undefined ? undefined : `${advised.by}: ${advised.answer}. ${advised.reason}`;
  const answers = row.type === 'decision' ? row.answers?.map(answerWords).join('; ') : undefined;
  const {
    passkey: _key,
    proof: _proof,
    earlier: _earlier,
    answers: _answers,
    handOver: _handOver,
    ...plain
  } = {
    passkey: undefined,
    proof: undefined,
    earlier: undefined,
    answers: undefined,
    handOver: undefined,
    ...row,
  };
  const fields: Readonly<Record<string, CsvValue>> = { ...plain, advice, answers, seq, time };
  return `${columns.map((column) => csvCell(fields[column])).join(',')}\r\n`;
}

/** What a spreadsheet takes for the begin of a formula, blanks in front or not. */
const formula = /^\s*[=+\-@|%＝＋－＠]|^[\t\n]/u;

/**
 * A cell that every reader takes for what it is. Text that a spreadsheet would run as a formula
 * gets an apostrophe in front; what cannot be seen is made visible, as in a terminal.
 */
function csvCell(value: CsvValue): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const text = displayPlain(typeof value === 'string' ? value : value.join(' '));
  const safe = formula.test(text) ? `'${text}` : text;
  return /[",\n]/u.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}
