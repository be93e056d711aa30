import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { refuse } from '../../shared/refusal/refusal.ts';
import { readLogStart } from './archive.ts';
import { readCheckpoint } from './chain/checkpoint.ts';
import type { AuditProblem, SourceLine, VerifyReport } from './chain/verify.ts';
import { verifyChain } from './chain/verify.ts';
import { checkpointPath } from './paths.ts';
import { linesOf } from './reading/lines.ts';
import { monthFiles } from './reading/month-files.ts';
import { isWriterAtWork } from './writer/lock.ts';

export interface VerifyLogOptions {
  readonly directory: string;
  /** Null when the secret store has none. */
  readonly key: Uint8Array | null;
}

export interface LogReport extends VerifyReport {
  /** Names of the files that were read, oldest first. */
  readonly files: readonly string[];
}

/**
 * Checks the whole log below `directory`, while a runner writes to it or not. Throws
 * `audit-unavailable` when there are rows and no key to check them with.
 */
export async function verifyLog({ directory, key }: VerifyLogOptions): Promise<LogReport> {
  const path = checkpointPath(directory);
  const hasCheckpoint = existsSync(path);
  // Before the rows: a row is always in the log before the checkpoint knows it.
  const checkpoint = key === null ? null : readCheckpoint(path, key);
  const start = key === null ? null : readLogStart(directory, key);
  const begin = start === null || start === 'invalid' ? null : start;
  const paths = monthFiles(directory).filter((file) => basename(file) >= (begin?.before ?? ''));
  const files = paths.map((file) => basename(file));
  if (key === null) {
    if (!hasCheckpoint && paths.length === 0)
      return { ok: true, rows: 0, head: { seq: 0, mac: '' }, problems: [], more: 0, files };
    throw refuse(
      'audit-unavailable',
      'There is an audit log, but no key to check it with.',
      'Run this as the user who runs Interlock, in a session where the keychain is open.',
    );
  }
  const ends: AuditProblem[] = [];
  const lines = sourceLines(paths, ends);
  const report = await verifyChain({
    key,
    checkpoint,
    lines,
    ...(begin !== null && { start: begin.head }),
  });
  const isHalfRow = ends.length > 0 && !isWriterAtWork(directory);
  const problems = [
    ...report.problems,
    ...(start === 'invalid' ? [foreignStart] : []),
    ...(isHalfRow ? ends : []),
    ...(checkpoint === null ? [withoutCheckpoint(files, report.rows)] : []),
  ];
  return { ...report, problems, files, ok: report.ok && problems.length === 0 };
}

const foreignStart: AuditProblem = {
  kind: 'edited',
  file: 'archived.json',
  line: 0,
  text: 'It says that older months were archived, and was not written by us.',
};

async function* sourceLines(
  paths: readonly string[],
  ends: AuditProblem[],
): AsyncGenerator<SourceLine> {
  for (const path of paths) {
    const file = basename(path);
    let line = 0;
    const onOpenEnd = (): void => {
      const text = 'The last row was cut short. It did not count; the next start takes it out.';
      ends.push({ kind: 'malformed', file, line: line + 1, text });
    };
    for await (const lines of linesOf(path, { onOpenEnd }))
      for (const { bytes } of lines) yield { file, line: (line += 1), text: bytes.toString() };
  }
}

function withoutCheckpoint(files: readonly string[], rows: number): AuditProblem {
  const text = `The checkpoint is missing or not ours: nobody can tell whether there were more than ${rows} rows.`;
  return { kind: 'truncated', file: files.at(-1) ?? '', line: 0, text };
}
