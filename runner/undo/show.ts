import { isUtf8 } from 'node:buffer';
import { structuredPatch } from 'diff';
import type { ChangeBody, ChangesSummary, ShownChange } from '../../shared/wire/index.ts';
import { isSame, shownPath } from './state.ts';
import type { Change, Entry, State } from './state.ts';

/** Larger files are named only. */
const mostText = 256 * 1024;
/** Of one answer: what is over is named only. */
const mostInAll = 1024 * 1024;
const mostEdits = 4_000;
const mostNamed = 2_000;

/** The newest entries first, without what stands in them. */
export function showEntries(entries: readonly Entry[], limit: number): readonly ChangesSummary[] {
  const undone = new Map(
    entries.flatMap(({ undoes, id }) => (undoes === null ? [] : [[undoes, id]])),
  );
  return entries
    .toReversed()
    .slice(0, limit)
    .map((entry) => summaryOf(entry, undone.get(entry.id) ?? null));
}

function summaryOf(entry: Entry, takenBackBy: string | null): ChangesSummary {
  const { id, at, workspace, agent, command, undoes, isCutOff = false, changes } = entry;
  return {
    id,
    at,
    workspace,
    agent,
    command,
    undoes,
    takenBackBy,
    isCutOff,
    files: changes.length,
  };
}

/** An entry with what changed in each file, as far as it can be shown; null where there is none. */
export function showEntry(
  entry: Entry | null,
  content: (hash: string) => Buffer | null,
): ChangeBody | null {
  if (entry === null) return null;
  let left = mostInAll;
  const files = entry.changes.slice(0, mostNamed).map((change): ShownChange => {
    const shown = showChange(change, left > 0 ? content : () => null);
    left -= shown.diff?.length ?? 0;
    return shown;
  });
  return { ...summaryOf(entry, null), unnamed: entry.changes.length - files.length, shown: files };
}

function showChange(change: Change, content: (hash: string) => Buffer | null): ShownChange {
  const { before, after } = change;
  const common = {
    path: shownPath(change.path),
    what:
      before === null
        ? ('added' as const)
        : after === null
          ? ('removed' as const)
          : ('changed' as const),
    kind: (after ?? before)?.kind ?? ('other' as const),
    isKept: isKept(before) && isKept(after),
    with: change.with ?? [],
  };
  const texts = [before, after].map((state) => textOf(state, content));
  const [old, now] = texts;
  if (typeof old !== 'string' || typeof now !== 'string')
    return { ...common, diff: null, note: modeNote(before, after) };
  const patch = structuredPatch('a', 'b', old, now, '', '', {
    context: 3,
    maxEditLength: mostEdits,
    timeout: 500,
  });
  const lines = patch?.hunks.flatMap((hunk) => [
    `@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`,
    ...hunk.lines,
  ]);
  return { ...common, diff: lines?.join('\n') ?? null, note: modeNote(before, after) };
}

function isKept(state: State | null): boolean {
  return state === null || state.kind !== 'file' || state.hash !== null;
}

/** As text where there is one to be compared; what is not there is empty. */
function textOf(state: State | null, content: (hash: string) => Buffer | null): string | null {
  if (state === null) return '';
  if (state.kind === 'link') return `-> ${shownPath(state.target)}\n`;
  if (state.kind !== 'file' || state.hash === null || state.size > mostText) return null;
  const bytes = content(state.hash);
  return bytes !== null && isUtf8(bytes) && !bytes.includes(0) ? bytes.toString('utf8') : null;
}

function modeNote(before: State | null, after: State | null): string | null {
  if (before === null || after === null || isSame(before, after)) return null;
  if (!('mode' in before) || !('mode' in after) || before.mode === after.mode) return null;
  return `${before.mode.toString(8)} → ${after.mode.toString(8)}`;
}
