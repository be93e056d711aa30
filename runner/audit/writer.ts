import { join } from 'node:path';
import type { Clock } from '../../shared/base/index.ts';
import { appendLink } from './chain.ts';
import type { ChainHead, Checkpoint } from './chain.ts';
import { fileOfNextRow } from './log-files.ts';
import type { LogFile, OpenLogFile } from './log-files.ts';
import type { AuditRow, NoteRow } from './rows.ts';

/** What became of a row after it was written. */
interface Written {
  /** The disk did not take the row after all and it was taken out of the log again. */
  withdrawn: boolean;
}

interface ChainedWriter {
  /** One row in the file when this returns. Throws when it is not, and then the log is as before. */
  write(row: AuditRow): Written;
  /** Settles when all that was written so far is on the disk; rejects when the disk refused. */
  flush(): Promise<void>;
  /** The last row that the disk is known to have taken; later rows may still be taken out again. */
  durableHead(): ChainHead;
  dispose(): Promise<void>;
}

/** After so many rows, or so many milliseconds, the checkpoint goes to the disk. */
const rowsAtMost = 1_000;
const millisecondsAtMost = 1_000;

export interface Pace {
  touched(): void;
  /** Syncs what is left; settles when no sync is under way. */
  dispose(): Promise<void>;
}

/**
 * Calls `sync` now and then while rows are written. A sync that fails is left to the next one: the
 * rows themselves are on the disk, only their number is not known from outside yet.
 */
function createPace(sync: () => Promise<void>, clock: Clock): Pace {
  let rows = 0;
  let cancel: (() => void) | null = null;
  let running: Promise<void> = Promise.resolve();
  const run = (): void => {
    cancel?.();
    cancel = null;
    rows = 0;
    running = running.then(sync).catch(() => {});
  };
  return {
    touched: () => {
      rows += 1;
      cancel ??= clock.after(millisecondsAtMost, run);
      if (rows >= rowsAtMost) run();
    },
    dispose: async () => {
      if (cancel !== null) run();
      await running;
    },
  };
}

const failed = 'audit-disk-failed';

/**
 * What stays of rows that the disk may not have taken. Permissions go: whoever waited for one is told
 * no, and writes that down. Everything else tells what has happened and stays. A note says so.
 */
function keptOf<T extends { readonly row: AuditRow }>(
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
  let durable = head;
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
    const upTo = head;
    unsynced = [];
    try {
      await open.log.sync();
      if (wound === null) durable = upTo;
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
    durableHead: () => durable,
    dispose: async () => {
      tryToMend();
      await flush().catch(() => {});
      await pace.dispose();
      checkpoint.close();
      file?.log.close();
      file = null;
    },
  };
}
