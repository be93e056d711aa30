import { redact } from '../../shared/redact/redact.ts';
import type { AuditRow } from './types.ts';

/** The row as it may be kept: every text that somebody else wrote, without the secrets in it. */
export function redactRow(row: AuditRow): AuditRow {
  if (row.type === 'note') return { ...row, text: redact(row.text) };
  if (row.type !== 'decision') return row;
  return {
    ...row,
    agent: redact(row.agent),
    session: row.session === null ? null : redact(row.session),
    cwd: redact(row.cwd),
    command: redact(row.command),
    canonical: row.canonical === null ? null : redact(row.canonical),
    reason: redact(row.reason),
  };
}
