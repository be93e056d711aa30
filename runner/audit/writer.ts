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

interface Pace {
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

interface ChainedWriterOptions {
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
 * The end of the log, where rows are put. A row that the disk did not take is taken out again; until
 * that has been possible, nothing more is written.
 */
class LogTail {
  readonly #options: ChainedWriterOptions;
  readonly #touched: () => void;
  #head: ChainHead;
  #durable: ChainHead;
  #file: Open | null = null;
  #unsynced: Unsynced[] = [];
  #wound: Wound | null;
  #isSyncing = false;
  readonly #retired: LogFile[] = [];

  constructor(options: ChainedWriterOptions, touched: () => void) {
    const { end } = options;
    this.#options = options;
    this.#touched = touched;
    this.#head = end.head;
    this.#durable = end.head;
    if (end.file !== null) this.#file = this.#open(end.file, end.size);
    this.#wound = { offset: end.size, head: end.head, rows: end.notes };
    this.tryToMend();
  }

  get durable(): ChainHead {
    return this.#durable;
  }

  write(row: AuditRow): Written {
    this.#mend();
    try {
      return this.#put(this.#fileFor(row.at), row);
    } catch (error) {
      this.tryToMend();
      throw error;
    }
  }

  tryToMend(): void {
    try {
      this.#mend();
    } catch {
      // The next write tries again, and is refused while it does not succeed.
    }
  }

  /** One at a time: see `flush`. */
  async sync(): Promise<void> {
    this.#isSyncing = true;
    try {
      await this.#syncNow();
    } finally {
      this.#isSyncing = false;
      for (const old of this.#retired.splice(0)) old.close();
    }
  }

  close(): void {
    this.#file?.log.close();
    this.#file = null;
  }

  #open(name: string, size: number): Open {
    const { directory, openFile } = this.#options;
    return { name, log: openFile(join(directory, name)), size };
  }

  #fileFor(at: number): Open {
    const file = this.#file;
    const name = fileOfNextRow(file?.name ?? null, at);
    if (file?.name === name) return file;
    const opened = this.#open(name, 0);
    if (file !== null) {
      this.#retire(file.log, opened.log);
      this.#unsynced = [];
    }
    return (this.#file = opened);
  }

  #retire(old: LogFile, opened: LogFile): void {
    try {
      old.syncNow();
    } catch (error) {
      opened.close();
      throw error;
    }
    // A sync that is under way still uses the descriptor.
    if (this.#isSyncing) this.#retired.push(old);
    else old.close();
  }

  #put(open: Open, row: AuditRow): Written {
    const { key, checkpoint } = this.#options;
    const { line, head: linked } = appendLink(key, this.#head, JSON.stringify(row));
    const bytes = Buffer.from(`${line}\n`);
    const before = { offset: open.size, head: this.#head };
    try {
      const count = open.log.write(bytes);
      if (count < bytes.length) throw new Error('The disk took only part of a row.');
      checkpoint.save(linked);
    } catch (error) {
      this.#wound ??= { ...before, rows: [] };
      throw error;
    }
    const written: Written = { withdrawn: false };
    this.#unsynced.push({ row, written, offset: before.offset, before: before.head });
    this.#head = linked;
    open.size += bytes.length;
    this.#touched();
    return written;
  }

  /** Puts right what is wrong, or throws and leaves it to the next try. */
  #mend(): void {
    if (this.#wound === null) return;
    const { offset, head, rows } = this.#wound;
    if (this.#file !== null) {
      this.#file.log.cut(offset);
      this.#file.size = offset;
    }
    this.#forgetFrom(offset);
    this.#head = head;
    try {
      // All into one file: the offset of the wound counts in that one.
      for (const row of rows) this.#put(this.#file ?? this.#fileFor(row.at), row);
    } catch (error) {
      this.#forgetFrom(offset);
      throw error;
    }
    this.#wound = null;
  }

  #forgetFrom(offset: number): void {
    this.#unsynced = this.#unsynced.filter((entry) => entry.offset < offset);
  }

  /** After a sync that failed nobody knows what is on the disk: all of it is written once more. */
  #withdraw(entries: readonly Unsynced[], error: unknown): void {
    const [first] = entries;
    if (first === undefined) return;
    const { rows, withdrawn } = keptOf(entries, { error, at: this.#options.clock.now() });
    for (const entry of withdrawn) entry.written.withdrawn = true;
    this.#unsynced = [];
    this.#wound = { offset: first.offset, head: first.before, rows };
    this.tryToMend();
  }

  async #syncNow(): Promise<void> {
    const open = this.#file;
    if (open === null) return;
    const covered = this.#unsynced;
    const upTo = this.#head;
    this.#unsynced = [];
    try {
      await open.log.sync();
      if (this.#wound === null) this.#durable = upTo;
    } catch (error) {
      // A file of a past month was synced when it was left.
      if (this.#file !== open) return;
      this.#withdraw([...covered, ...this.#unsynced], error);
      throw error;
    }
  }
}

/**
 * Writes rows, each chained to the one before, to one file a month. All that wait for the disk share
 * one sync.
 */
export function createChainedWriter(options: ChainedWriterOptions): ChainedWriter {
  const { checkpoint, clock } = options;
  const pace = createPace(async () => checkpoint.sync(), clock);
  const tail = new LogTail(options, () => pace.touched());
  let syncing: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  const flush = async (): Promise<void> => {
    if (syncing === null) {
      syncing = tail.sync().finally(() => {
        syncing = null;
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
  return {
    write: (row) => tail.write(row),
    flush,
    durableHead: () => tail.durable,
    dispose: async () => {
      tail.tryToMend();
      await flush().catch(() => {});
      await pace.dispose();
      checkpoint.close();
      tail.close();
    },
  };
}
