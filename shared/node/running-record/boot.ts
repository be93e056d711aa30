import { readFileSync } from 'node:fs';

/** Which boot of the machine this is; null where the system does not say. */
export function readBootId(): string | null {
  if (process.platform !== 'linux') return null;
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return null;
  }
}
