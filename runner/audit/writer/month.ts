/** The file of the month in which `at` lies: `2026-07.jsonl`, in UTC. */
export function monthFile(at: number): string {
  return `${new Date(at).toISOString().slice(0, 7)}.jsonl`;
}

/**
 * Where the next row goes: never to an older file than the newest one there is, or a clock that is
 * set back would put rows in front of those that were written before them.
 */
export function fileOfNextRow(newest: string | null, at: number): string {
  const month = monthFile(at);
  return newest !== null && newest > month ? newest : month;
}
