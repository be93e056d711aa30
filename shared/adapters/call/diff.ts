import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';

/** Lines that may differ before the search for the shortest diff is given up for a plain one. */
const mostEdits = 4000;

/**
 * A unified diff from one text to another, with the path of the file in its head. Line numbers are
 * those of the texts given. Texts that differ too much are shown as all removed and all added, so
 * that the time it takes stays small.
 */
export function unifiedDiff(path: string, before: string, after: string): string {
  return (
    createTwoFilesPatch(path, path, before, after, undefined, undefined, {
      context: 3,
      maxEditLength: mostEdits,
      headerOptions: FILE_HEADERS_ONLY,
    }) ?? plainDiff(path, before, after)
  );
}

function plainDiff(path: string, before: string, after: string): string {
  const removed = linesOf(before);
  const added = linesOf(after);
  const head = `@@ -1,${String(removed.length)} +1,${String(added.length)} @@`;
  const lines = [...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)];
  return [`--- ${path}`, `+++ ${path}`, head, ...lines, ''].join('\n');
}

function linesOf(text: string): readonly string[] {
  return text.split('\n');
}
