import type { ChainHead, ChainLine } from './link.ts';
import { chainStart, linksTo, parseLink } from './link.ts';

export type ProblemKind = 'edited' | 'deleted' | 'reordered' | 'truncated' | 'malformed';

/** What is wrong, and where: file and 1-based line, as an editor counts. */
export interface AuditProblem {
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

export interface SourceLine {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

const problemsAtMost = 100;

/**
 * Walks the lines of all files in order. After a problem the walk goes on from the row that is
 * there, so that each break is told once. `checkpoint` is the head that was saved outside the log.
 */
export async function verifyChain(options: {
  readonly key: Uint8Array;
  readonly lines: AsyncIterable<SourceLine>;
  readonly checkpoint: ChainHead | null;
  /** The row before the first one, when older ones were archived. */
  readonly start?: ChainHead;
}): Promise<VerifyReport> {
  const { key, lines, checkpoint } = options;
  const problems: AuditProblem[] = [];
  let more = 0;
  let rows = 0;
  let head = options.start ?? chainStart;
  let last: SourceLine = { file: '', line: 0, text: '' };
  let checkpointHeld = checkpoint === null || checkpoint.seq === 0;
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
    head = { seq: link.seq, mac: link.mac };
    if (checkpoint !== null && head.seq === checkpoint.seq)
      checkpointHeld = head.mac === checkpoint.mac;
  }
  if (checkpoint !== null && !checkpointHeld) tell('truncated', last, truncation(checkpoint, head));
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
    const noticed = link.rowText.includes('"code":"audit-rows-missing"')
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

function truncation(checkpoint: ChainHead, head: ChainHead): string {
  return head.seq < checkpoint.seq
    ? `The log ends at row ${head.seq}; row ${checkpoint.seq} had been written.`
    : `Row ${checkpoint.seq} is not the one that had been written.`;
}
