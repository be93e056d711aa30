import { basename } from 'node:path';
import type { ChainHead } from './chain.ts';
import { chainStart, newerHead, parseLink } from './chain.ts';
import { linesBackward } from './lines.ts';
import { monthFiles } from './log-files.ts';
import type { NoteRow } from './rows.ts';
import { redactKept } from './rule-set.ts';
import type { LogEnd } from './writer.ts';

interface FindEndOptions {
  readonly directory: string;
  /** The head that was saved outside the log; null when there is none that can be believed. */
  readonly checkpoint: ChainHead | null;
  /** The head that the secret store keeps; null when there is none that can be believed. */
  readonly anchor: ChainHead | null;
  /** True when the key was made just now: there was no log before. */
  readonly isNew: boolean;
  readonly at: number;
}

/** How much of a half row a note shows, in characters. */
const shownOfHalfRow = 200;

/**
 * Finds where the chain goes on, reading from the end. What a crash left of a last row is to be cut
 * off. When the checkpoint is ahead, the chain goes on from there: the missing numbers stay missing,
 * so that every later look at the log finds them.
 */
export function findEnd(options: FindEndOptions): LogEnd {
  const { checkpoint, anchor, isNew, at } = options;
  const known = newerHead(checkpoint, anchor);
  const files = monthFiles(options.directory);
  const found = lastRow(files);
  const note = (code: string, text: string): NoteRow => ({ type: 'note', at, code, text });
  const notes: NoteRow[] = [];
  if (isNew) notes.push(note('audit-began', 'The audit log begins here.'));
  if (found.half !== null) notes.push(note('audit-half-row', halfRow(found.half)));
  const missing = isNew ? null : missingRows(found.head, known, checkpoint === null);
  if (missing !== null) notes.push(note('audit-rows-missing', missing));
  const newest = files.at(-1);
  return {
    head: missing !== null && known !== null && known.seq >= found.head.seq ? known : found.head,
    file: newest === undefined ? null : basename(newest),
    size: found.size,
    notes,
  };
}

interface LastRow {
  readonly head: ChainHead;
  /** What stands after the last newline of the newest file, if anything. */
  readonly half: Buffer | null;
  /** Length of the newest file up to that. */
  readonly size: number;
}

function lastRow(files: readonly string[]): LastRow {
  let end: Omit<LastRow, 'head'> | null = null;
  for (const file of files.toReversed()) {
    for (const { offset, bytes } of linesBackward(file)) {
      if (end === null) {
        end = { half: bytes.length > 0 ? bytes : null, size: offset };
        continue;
      }
      const link = parseLink(bytes.toString());
      if (link !== null) return { ...end, head: { seq: link.seq, mac: link.mac } };
    }
  }
  return { half: null, size: 0, ...end, head: chainStart };
}

function halfRow(bytes: Buffer): string {
  const text = bytes.toString().slice(0, shownOfHalfRow).replaceAll('\u0000', '');
  return `The last row was cut short, as by a crash; it did not count and its ${bytes.length} bytes were taken out: ${redactKept(text)}`;
}

function missingRows(
  head: ChainHead,
  known: ChainHead | null,
  isWithoutCheckpoint: boolean,
): string | null {
  if (known !== null && known.seq > head.seq)
    return `Rows ${head.seq + 1} to ${known.seq} had been written and are gone: the machine lost power, or somebody cut the log.`;
  if (known !== null && known.seq === head.seq && known.mac !== head.mac)
    return `Row ${head.seq} is not the one that had been written.`;
  return isWithoutCheckpoint
    ? 'The checkpoint is missing or not ours: rows cut from the end of the log before this one cannot be told.'
    : null;
}
