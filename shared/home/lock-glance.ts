import { readFileSync } from 'node:fs';
import type { HomePaths } from './paths.ts';

/**
 * Whether the home's own lock is closed, at a glance: by the one field, without the checks of
 * `readStopState`. For clients, which only wait; whoever decides reads the whole state.
 */
export function looksLocked({ lockout }: Pick<HomePaths, 'lockout'>): boolean {
  try {
    return (JSON.parse(readFileSync(lockout, 'utf8')) as { locked?: unknown }).locked !== false;
  } catch {
    return true;
  }
}
