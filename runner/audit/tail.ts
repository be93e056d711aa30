import { watch } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { linesBackward } from './lines.ts';
import { linesOf } from './lines.ts';
import { monthFiles } from './log-files.ts';
import type { LoggedRow } from './rows.ts';
import { isStarting, parseRow } from './rows.ts';

/** Where a reader stands: the next byte of which file. */
interface Place {
  readonly path: string;
  readonly offset: number;
}

/** The last rows, oldest first, without those that only say that a start is about to happen. */
export function lastRows(
  directory: string,
  count: number,
): { readonly rows: readonly LoggedRow[]; readonly end: Place | null } {
  const rows: LoggedRow[] = [];
  let end: Place | null = null;
  for (const path of monthFiles(directory).toReversed()) {
    for (const { offset, bytes } of linesBackward(path)) {
      end ??= { path, offset };
      if (rows.length >= count) return { rows: rows.toReversed(), end };
      const logged = isStarting(bytes) ? null : parseRow(bytes);
      if (logged !== null) rows.push(logged);
    }
  }
  return { rows: rows.toReversed(), end };
}

/** Between looks that no event asked for. */
const pollMs = 1_000;

/** Rows as they are added after `place`, over the end of a month, until the signal says stop. */
export async function* followRows(
  directory: string,
  place: Place | null,
  signal: AbortSignal,
): AsyncGenerator<LoggedRow> {
  const changes = watchFolder(directory, signal);
  let here = place;
  try {
    while (!signal.aborted) {
      // Before the look: what comes during it wakes the wait that follows.
      const changed = changes.next();
      const files = monthFiles(directory);
      for (const path of files.slice(here === null ? 0 : files.indexOf(here.path))) {
        let offset: number = here?.path === path ? here.offset : 0;
        for await (const lines of linesOf(path, { from: offset }))
          for (const line of lines) {
            offset = line.offset + line.bytes.length + 1;
            const logged = isStarting(line.bytes) ? null : parseRow(line.bytes);
            if (logged !== null) yield logged;
          }
        here = { path, offset };
      }
      await changed;
    }
  } finally {
    changes.stop();
  }
}

/** Resolves at an event in the folder, after a while, or at the signal. */
function watchFolder(directory: string, signal: AbortSignal) {
  let wake = (): void => {};
  let watcher: ReturnType<typeof watch> | null = null;
  try {
    watcher = watch(directory, () => wake()).on('error', () => {});
  } catch {
    // The folder is not there yet, or the system tells nothing: the poll finds out.
  }
  return {
    next: async (): Promise<void> => {
      const event = new Promise<void>((resolve) => (wake = resolve));
      await Promise.race([event, pause(pollMs, undefined, { signal }).catch(() => {})]);
    },
    stop: () => watcher?.close(),
  };
}
