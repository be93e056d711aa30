/**
 * Runs something with another umask. Worker threads cannot change it; there the folder, which is
 * closed to others, has to do.
 */
export function withUmask(mask: number, run: () => void): void {
  let before: number | null = null;
  try {
    before = process.umask(mask);
  } catch {
    before = null;
  }
  try {
    run();
  } finally {
    if (before !== null) process.umask(before);
  }
}
