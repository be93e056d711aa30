import { fstatSync } from 'node:fs';

/** Whether what is written to this descriptor goes to the journal, as systemd says in `JOURNAL_STREAM`. */
export function goesToJournal(
  env: Readonly<Record<string, string | undefined>>,
  fd: number,
): boolean {
  const stream = env['JOURNAL_STREAM'];
  if (stream === undefined) return false;
  try {
    const { dev, ino } = fstatSync(fd, { bigint: true });
    return stream === `${String(dev)}:${String(ino)}`;
  } catch {
    return false;
  }
}
