import type { AuditRow, NoteRow } from '../types.ts';

const failed = 'audit-disk-failed';

/**
 * What stays of rows that the disk may not have taken. Permissions go: whoever waited for one is told
 * no, and writes that down. Everything else tells what has happened and stays. A note says so.
 */
export function keptOf<T extends { readonly row: AuditRow }>(
  entries: readonly T[],
  { error, at }: { readonly error: unknown; readonly at: number },
): { readonly rows: readonly AuditRow[]; readonly withdrawn: readonly T[] } {
  const withdrawn = entries.filter(({ row }) => isPermission(row));
  const rows = entries
    .map(({ row }) => row)
    .filter((row) => !isPermission(row) && !(row.type === 'note' && row.code === failed));
  const why = (error as { readonly code?: string } | null)?.code ?? 'unknown error';
  const note: NoteRow = {
    type: 'note',
    at,
    code: failed,
    text: `The disk did not take the last rows (${why}). Permissions among them were withdrawn before anything ran.`,
  };
  return { rows: [...rows, note], withdrawn };
}

function isPermission(row: AuditRow): boolean {
  return row.type === 'decision' && row.decision === 'allow';
}
