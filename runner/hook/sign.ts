import { randomBytes } from 'node:crypto';
import { signCall } from '../../shared/ipc/index.ts';
import type { UnsignedCall } from '../../shared/ipc/index.ts';

/** The headers that sign one call of the hook. A file of its own: most of its cost is loading it. */
export function signatureOf(
  agent: string,
  key: Uint8Array,
  call: UnsignedCall,
): Readonly<Record<string, string>> {
  return signCall({ agent, key, now: Date.now, random: randomBytes }, call);
}
