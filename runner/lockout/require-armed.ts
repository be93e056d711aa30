import type { StopState } from '../../shared/node/stop-state/types.ts';
import { refuse } from '../../shared/refusal/refusal.ts';

/** Throws `lockout-active` or `pause-active` unless the switch is armed. */
export function requireArmed({ mode, reason }: StopState): void {
  if (mode === 'armed') return;
  const why = reason === null ? '' : `: ${reason}`;
  throw mode === 'locked'
    ? refuse(
        'lockout-active',
        `Interlock is locked${why}.`,
        'Stop and wait: only a person can unlock it, with "interlock unlock".',
      )
    : refuse(
        'pause-active',
        `Interlock is paused${why}.`,
        'Wait for "interlock resume", then ask again.',
      );
}
