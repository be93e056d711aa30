import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';

/** Programs are smaller; a rule with a digest of something larger simply does not match. */
const largest = 256 * 1024 * 1024;

/** sha256 (hex) of a regular file's content, or null when it cannot be read. */
export function hashFile(path: string): string | null {
  try {
    const stats = statSync(path);
    if (!stats.isFile() || stats.size > largest) return null;
    return createHash('sha256').update(readFileSync(path)).digest('hex');
  } catch {
    return null;
  }
}
