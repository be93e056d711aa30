import type { AuditRow } from '../types.ts';

/** What became of a row after it was written. */
export interface Written {
  /** The disk did not take the row after all and it was taken out of the log again. */
  withdrawn: boolean;
}

export interface ChainedWriter {
  /** One row in the file when this returns. Throws when it is not, and then the log is as before. */
  write(row: AuditRow): Written;
  /** Settles when all that was written so far is on the disk; rejects when the disk refused. */
  flush(): Promise<void>;
  close(): Promise<void>;
}
