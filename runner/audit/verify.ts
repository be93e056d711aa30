import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { refuse } from '../../shared/base/index.ts';
import { readLogStart } from './archive.ts';
import {
  chainStart,
  checkpointPath,
  linksTo,
  newerHead,
  parseLink,
  readCheckpoint,
} from './chain.ts';
import type { ChainHead, ChainLine } from './chain.ts';
import type { AuditSeal } from './key.ts';
import { linesOf } from './lines.ts';
import { isWriterAtWork, monthFiles } from './log-files.ts';
import { signedAnswers } from './signed-answers.ts';

type ProblemKind = 'edited' | 'deleted' | 'reordered' | 'truncated' | 'malformed' | 'unsigned';

/** What is wrong, and where: file and 1-based line, as an editor counts. */
interface AuditProblem {
  readonly kind: ProblemKind;
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

export interface VerifyReport {
  readonly ok: boolean;
  readonly rows: number;
  readonly head: ChainHead;
  /** At most 100; `more` counts the rest. */
  readonly problems: readonly AuditProblem[];
  readonly more: number;
}

interface SourceLine {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

const problemsAtMost = 100;

/**
 * Walks the lines of all files in order. After a problem the walk goes on from the row that is
 * there, so that each break is told once. `known` are the heads that were saved outside the log.
 */
export async function verifyChain(options: {
  readonly key: Uint8Array;
  readonly lines: AsyncIterable<SourceLine>;
  readonly known: readonly ChainHead[];
  /** The row before the first one, when older ones were archived. */
  readonly start?: ChainHead;
  /** Told of every row, in order. */
  readonly onRow?: (text: string, at: SourceLine) => void;
}): Promise<VerifyReport> {
  const { key, lines, known } = options;
  const problems: AuditProblem[] = [];
  let more = 0;
  let rows = 0;
  let head = options.start ?? chainStart;
  let last: SourceLine = { file: '', line: 0, text: '' };
  const unmet = new Set(known.filter(({ seq }) => seq > 0));
  const tell = (kind: ProblemKind, at: SourceLine, text: string): void => {
    if (problems.length < problemsAtMost)
      problems.push({ kind, file: at.file, line: at.line, text });
    else more += 1;
  };
  for await (const source of lines) {
    last = source;
    const link = parseLink(source.text);
    if (link === null) {
      tell('malformed', source, 'This line is not a row of the log.');
      continue;
    }
    rows += 1;
    if (!linksTo(key, head, link)) explain(head, link, source, tell);
    else if (link.rowText.includes(missingCode)) tell('truncated', source, noteText(link.rowText));
    options.onRow?.(link.rowText, source);
    head = { seq: link.seq, mac: link.mac };
    for (const one of unmet) if (one.seq === head.seq && one.mac === head.mac) unmet.delete(one);
  }
  const furthest = [...unmet].reduce(newerHead, null);
  if (furthest !== null) tell('truncated', last, truncation(furthest, head));
  return { ok: problems.length === 0 && more === 0, rows, head, problems, more };
}

function explain(
  head: ChainHead,
  link: ChainLine,
  at: SourceLine,
  tell: (kind: ProblemKind, at: SourceLine, text: string) => void,
): void {
  const expected = head.seq + 1;
  if (link.seq > expected) {
    const noticed = link.rowText.includes(missingCode)
      ? ' The runner noticed it at its start.'
      : '';
    tell(
      'deleted',
      at,
      `Rows ${expected} to ${link.seq - 1} are missing before this one.${noticed}`,
    );
  } else if (link.seq < expected) {
    tell('reordered', at, `Row ${link.seq} stands after row ${head.seq}.`);
  } else {
    tell('edited', at, `Row ${link.seq}, or the row before it, is not what was written.`);
  }
}

/** By this a start that found rows missing is told for good, however the log goes on. */
const missingCode = '"code":"audit-rows-missing"';

function noteText(rowText: string): string {
  const { text } = JSON.parse(rowText) as { readonly text?: unknown };
  return typeof text === 'string' ? text : 'Rows were missing when the runner started.';
}

function truncation(checkpoint: ChainHead, head: ChainHead): string {
  return head.seq < checkpoint.seq
    ? `The log ends at row ${head.seq}; row ${checkpoint.seq} had been written.`
    : `Row ${checkpoint.seq} is not the one that had been written.`;
}

interface VerifyLogOptions {
  readonly directory: string;
  /** What the secret store keeps; null when it has nothing. */
  readonly seal: AuditSeal | null;
}

export interface LogReport extends VerifyReport {
  /** Names of the files that were read, oldest first. */
  readonly files: readonly string[];
}

/**
 * Checks the whole log below `directory`, while a runner writes to it or not. Throws
 * `audit-unavailable` when there are rows and no key to check them with.
 */
export async function verifyLog({ directory, seal }: VerifyLogOptions): Promise<LogReport> {
  const key = seal?.key ?? null;
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
  const signed = signedAnswers<Pick<AuditProblem, 'file' | 'line'>>(begin?.passkeys);
  const report = await verifyChain({
    key,
    known: [checkpoint, seal?.anchor ?? null].filter((one) => one !== null),
    lines,
    onRow: (text, { file, line }) => signed.row(text, { file, line }),
    ...(begin !== null && { start: begin.head }),
  });
  const isHalfRow = ends.length > 0 && !isWriterAtWork(directory);
  const unsigned = await signed.problems(begin === null || begin.passkeys !== undefined);
  const problems = [
    ...report.problems,
    ...unsigned.map(({ place, text }) => ({ kind: 'unsigned' as const, ...place, text })),
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
