import { createHash } from 'node:crypto';
import { compile, readJson, s } from '../../shared/base/index.ts';
import type { RefusalCode } from '../../shared/base/index.ts';
import { readPrivateFile, writeFileAtomic } from '../../shared/home/index.ts';
import { descriptorText } from '../../shared/ipc/index.ts';
import type { Wish } from './ask.ts';

const stateSchema = s.object({ refused: s.string(), times: s.integer({ minimum: 1 }) });
const maxBytes = 4_096;
const checkState = compile(stateSchema);

/** Refusals that say "later": no sign of going in circles. */
const later: ReadonlySet<RefusalCode> = new Set([
  'lockout-active',
  'pause-active',
  'rate-limit',
  'concurrency-busy',
  'requester-gone',
  'host-unavailable',
  'audit-unavailable',
  'stale-on-recovery',
  // A pause could not be signed either.
  'hmac-fail',
] satisfies RefusalCode[]);

/**
 * Counts how often one and the same request was refused in a row, over all calls of the client.
 * Returns the number. What cannot be written down is not counted.
 */
export function countRefusal(
  wish: Wish,
  refusal: { readonly code: RefusalCode } | null,
  { stateFile, uid }: { readonly stateFile: string; readonly uid: number },
): number {
  if (refusal !== null && later.has(refusal.code)) return 0;
  const { reason: _reason, session: _session, ...what } = wish;
  const refused = createHash('sha256').update(descriptorText(what)).digest('hex');
  const file = readPrivateFile(stateFile, { uid, maxBytes });
  const known = file.kind === 'text' ? readJson(checkState, file.text) : null;
  const before = known?.ok === true ? known.value : null;
  try {
    if (refusal === null) {
      if (before?.refused === refused) forgetRefusals(stateFile);
      return 0;
    }
    const times = before?.refused === refused ? before.times + 1 : 1;
    writeFileAtomic(stateFile, `${JSON.stringify({ refused, times })}\n`, { outlives: 'process' });
    return times;
  } catch {
    return 0;
  }
}

/** Begins to count anew. */
export function forgetRefusals(stateFile: string): void {
  writeFileAtomic(stateFile, '{}\n', { outlives: 'process' });
}
