import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openAuditLog } from '../../runner/audit/audit-log.ts';
import type { AuditLog, DecisionRow } from '../../runner/audit/rows.ts';
import { fileSecretStore, systemClock } from '../../shared/home/index.ts';

/** What one run of the audit benchmark found. Times in microseconds a row, means. */
export interface AuditFigures {
  readonly rows: number;
  /** Plain lines, each with its own sync: what a log without a chain must pay at least. */
  readonly plainSyncedMicros: number;
  /** Plain lines without a sync. */
  readonly plainMicros: number;
  /** Chained, redacted, and on the disk before the next: one command at a time. */
  readonly durableMicros: number;
  /** The same with 32 commands at once, which share a sync. */
  readonly sharedMicros: number;
  /** Chained, in the file, not synced. */
  readonly appendMicros: number;
  readonly perSecond: number;
}

/** Measures what the record costs each command, beside a file that is only appended to. */
export async function measureAudit(rows = 2_000): Promise<AuditFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-audit-'));
  const uid = process.getuid?.() ?? -1;
  const secrets = fileSecretStore(join(folder, 'keys'), { uid });
  const directory = join(folder, 'audit');
  const log = await openAuditLog({ directory, uid, clock: systemClock, secrets });
  try {
    await durably(log, { rows: 200, atOnce: 32 });
    const plainSyncedMicros = plain(join(folder, 'plain-synced'), { rows, isSynced: true });
    const durableMicros = await durably(log, { rows, atOnce: 1 });
    const sharedMicros = await durably(log, { rows: rows * 4, atOnce: 32 });
    const plainMicros = plain(join(folder, 'plain'), { rows: rows * 4, isSynced: false });
    const appendMicros = appended(log, rows * 4);
    const perSecond = 1_000_000 / sharedMicros;
    return {
      rows,
      plainSyncedMicros,
      plainMicros,
      durableMicros,
      sharedMicros,
      appendMicros,
      perSecond,
    };
  } finally {
    await log.dispose();
    rmSync(folder, { recursive: true, force: true });
  }
}

function plain(
  path: string,
  options: { readonly rows: number; readonly isSynced: boolean },
): number {
  const fd = openSync(path, 'a', 0o600);
  const start = performance.now();
  for (let index = 0; index < options.rows; index += 1) {
    writeSync(fd, `${JSON.stringify(rowOf(index))}\n`);
    if (options.isSynced) fdatasyncSync(fd);
  }
  const micros = microsSince(start, options.rows);
  closeSync(fd);
  return micros;
}

async function durably(
  log: AuditLog,
  { rows, atOnce }: { readonly rows: number; readonly atOnce: number },
): Promise<number> {
  const start = performance.now();
  const lane = async (from: number): Promise<void> => {
    for (let index = from; index < rows; index += atOnce) await log.durable(rowOf(index));
  };
  await Promise.all(Array.from({ length: atOnce }, async (_, from) => lane(from)));
  return microsSince(start, rows);
}

function appended(log: AuditLog, rows: number): number {
  const start = performance.now();
  for (let index = 0; index < rows; index += 1)
    log.append({ type: 'starting', id: `bench-${String(index)}`, at: Date.now() });
  return microsSince(start, rows);
}

function microsSince(start: number, rows: number): number {
  return ((performance.now() - start) * 1000) / rows;
}

function rowOf(index: number): DecisionRow {
  return {
    type: 'decision',
    id: `bench-${String(index)}`,
    at: Date.now(),
    kind: 'exec',
    agent: 'bench',
    session: null,
    host: 'gateway',
    cwd: '/srv/project',
    command: `git commit -m "change ${String(index)}" && git push origin main`,
    canonical: `'/usr/bin/git' 'commit' '-m' 'change ${String(index)}' && '/usr/bin/git' 'push' 'origin' 'main'`,
    decision: 'allow',
    code: 'rule-allow',
    by: 'policy',
    reason: 'A rule allows each of the two commands.',
    ruleIds: ['r1', 'r2'],
    risk: 'none',
    uid: 1000,
    pid: 4242,
  };
}
