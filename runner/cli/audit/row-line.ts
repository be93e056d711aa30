import { displayPlain } from '../../../shared/display/display.ts';
import type { LoggedRow } from '../../audit/reading/rows.ts';
import type { Hit } from '../../audit/reading/scan.ts';
import type { AuditRow, DecisionRow, NoteRow, OutcomeRow } from '../../audit/types.ts';

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
  const { decision, agent, code, cwd, command, reason, id } = row;
  const why = decision === 'deny' ? `  (${oneLine(reason)})` : '';
  return `${decision.padEnd(5)} ${oneLine(shortId(id))}  ${oneLine(agent)}  ${oneLine(code)}  ${oneLine(cwd)}  $ ${oneLine(command)}${why}`;
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
