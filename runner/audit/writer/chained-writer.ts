import { join } from 'node:path';
import type { Clock } from '../../../shared/clock/types.ts';
import type { Checkpoint } from '../chain/checkpoint.ts';
import { appendLink } from '../chain/link.ts';
import type { ChainHead } from '../chain/link.ts';
import type { AuditRow, NoteRow } from '../types.ts';
import type { LogFile, OpenLogFile } from './log-file.ts';
import { fileOfNextRow } from './month.ts';
import { createPace } from './pace.ts';
import type { ChainedWriter, Written } from './types.ts';
import { keptOf } from './withdraw.ts';

/** Where the log stands when it is opened. */
export interface LogEnd {
  readonly head: ChainHead;
  /** Name of the newest file; null when there is none. */
  readonly file: string | null;
  /** Length of that file in bytes without what a crash left of a last row. */
  readonly size: number;
  /** Rows that tell what was found; they come first. */
  readonly notes: readonly NoteRow[];
}

export interface ChainedWriterOptions {
  readonly directory: string;
  readonly key: Uint8Array;
  readonly end: LogEnd;
  readonly checkpoint: Checkpoint;
  readonly clock: Clock;
  readonly openFile: OpenLogFile;
}

interface Open {
  readonly name: string;
  readonly log: LogFile;
  size: number;
}

/** A row that no sync has covered yet, and where it begins. */
interface Unsynced {
  readonly row: AuditRow;
  readonly written: Written;
  readonly offset: number;
  readonly before: ChainHead;
}

/** The log does not end as it should: cut it to `offset`, then write `rows`. */
interface Wound {
  readonly offset: number;
  readonly head: ChainHead;
  readonly rows: readonly AuditRow[];
}

/**
 * Writes rows, each chained to the one before, to one file a month. All that wait for the disk share
 * one sync. A row that the disk did not take is taken out of the log again; until that has been
 * possible, nothing more is written.
 */
export function createChainedWriter(options: ChainedWriterOptions): ChainedWriter {
  const { directory, key, checkpoint, clock } = options;
  const pace = createPace(async () => checkpoint.sync(), clock);
  let { head } = options.end;
  let file: Open | null = null;
  let unsynced: Unsynced[] = [];
  let wound: Wound | null = null;
  let syncing: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  const retired: LogFile[] = [];

  const openNamed = (name: string, size: number): Open => ({
    name,
    log: options.openFile(join(directory, name)),
    size,
  });
  const fileFor = (at: number): Open => {
    const name = fileOfNextRow(file?.name ?? null, at);
    if (file?.name === name) return file;
    const opened = openNamed(name, 0);
    if (file !== null) {
      retire(file.log, opened.log);
      unsynced = [];
    }
    return (file = opened);
  };
  const retire = (old: LogFile, opened: LogFile): void => {
    try {
      old.syncNow();
    } catch (error) {
      opened.close();
      throw error;
    }
    // A sync that is under way still uses the descriptor.
    if (syncing === null) old.close();
    else retired.push(old);
  };
  const put = (open: Open, row: AuditRow): Written => {
    const { line, head: linked } = appendLink(key, head, JSON.stringify(row));
    const bytes = Buffer.from(`${line}\n`);
    const before = { offset: open.size, head };
    try {
      const count = open.log.write(bytes);
      if (count < bytes.length) throw new Error('The disk took only part of a row.');
      checkpoint.save(linked);
    } catch (error) {
      wound ??= { ...before, rows: [] };
      throw error;
    }
    const written: Written = { withdrawn: false };
    unsynced.push({ row, written, offset: before.offset, before: head });
    head = linked;
    open.size += bytes.length;
    pace.touched();
    return written;
  };
  /** Puts right what is wrong, or throws and leaves it to the next try. */
  const mend = (): void => {
    if (wound === null) return;
    const { offset, rows } = wound;
    if (file !== null) {
      file.log.cut(offset);
      file.size = offset;
    }
    unsynced = unsynced.filter((entry) => entry.offset < offset);
    ({ head } = wound);
    try {
      // All into one file: the offset of the wound counts in that one.
      for (const row of rows) put(file ?? fileFor(row.at), row);
    } catch (error) {
      unsynced = unsynced.filter((entry) => entry.offset < offset);
      throw error;
    }
    wound = null;
  };
  const tryToMend = (): void => {
    try {
      mend();
    } catch {
      // The next write tries again, and is refused while it does not succeed.
    }
  };
  /** After a sync that failed nobody knows what is on the disk: all of it is written once more. */
  const withdraw = (entries: readonly Unsynced[], error: unknown): void => {
    const [first] = entries;
    if (first === undefined) return;
    const { rows, withdrawn } = keptOf(entries, { error, at: clock.now() });
    for (const entry of withdrawn) entry.written.withdrawn = true;
    unsynced = [];
    wound = { offset: first.offset, head: first.before, rows };
    tryToMend();
  };
  const syncNow = async (): Promise<void> => {
    const open = file;
    if (open === null) return;
    const covered = unsynced;
    unsynced = [];
    try {
      await open.log.sync();
    } catch (error) {
      // A file of a past month was synced when it was left.
      if (file !== open) return;
      withdraw([...covered, ...unsynced], error);
      throw error;
    }
  };
  const flush = async (): Promise<void> => {
    if (syncing === null) {
      syncing = syncNow().finally(() => {
        syncing = null;
        for (const old of retired.splice(0)) old.close();
      });
      return syncing;
    }
    // A sync under way may have begun before our row was written: wait for one that has not.
    next ??= syncing
      .catch(() => {})
      .then(async () => {
        next = null;
        return flush();
      });
    return next;
  };

  if (options.end.file !== null) file = openNamed(options.end.file, options.end.size);
  wound = { offset: options.end.size, head, rows: options.end.notes };
  tryToMend();
  return {
    write: (row) => {
      mend();
      try {
        return put(fileFor(row.at), row);
      } catch (error) {
        tryToMend();
        throw error;
      }
    },
    flush,
    close: async () => {
      tryToMend();
      await flush().catch(() => {});
      await pace.stop();
      checkpoint.close();
      file?.log.close();
      file = null;
    },
  };
}
