import type { Clock } from '../../clock/types.ts';
import { refuse } from '../../refusal/refusal.ts';
import { breachOf } from './breach.ts';
import type { Duplex } from '../transport/duplex.ts';
import { ViolationError } from './violation.ts';

/**
 * Waits for one line; the lines after it stay in the duplex until the next reader is set.
 * Rejects when the peer goes away or is silent for `ms` milliseconds.
 */
export function nextLine(duplex: Duplex, clock: Clock, ms: number): Promise<string> {
  return new Promise((resolve, reject) => {
    let settled = false;
    const settle = (finish: () => void): void => {
      if (settled) return;
      settled = true;
      cancel();
      duplex.onLine(null);
      finish();
    };
    const cancel = clock.after(ms, () => {
      settle(() => {
        reject(new ViolationError('handshake-timeout', 'The peer did not answer in time.'));
      });
    });
    duplex.onLine((line) => {
      settle(() => {
        resolve(line);
      });
    });
    duplex.onEnd(() => {
      settle(() => {
        reject(peerGone());
      });
    });
    duplex.onClose((reason) => {
      settle(() => {
        reject(breachOf(reason) ?? peerGone());
      });
    });
  });
}

function peerGone(): Error {
  return refuse(
    'approver-unavailable',
    'The other side closed the connection before the session was open.',
    'Check that the approver runs: "interlock status".',
  );
}
