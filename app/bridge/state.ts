import type { AppState } from './types.ts';

/** What every surface shows first. `runner-gone`: nothing runs, because nobody decides. */
export type Mode = 'armed' | 'paused' | 'locked' | 'runner-gone';

/** The mode of a state. A lock is shown even when the runner is gone. */
export function modeOf(state: Pick<AppState, 'runner' | 'stop'>): Mode {
  if (state.runner?.mode === 'locked' || state.stop?.mode === 'locked') return 'locked';
  return state.runner?.mode ?? 'runner-gone';
}

/** The reason that goes with the mode, or null. Untrusted text. */
export function reasonOf(state: Pick<AppState, 'runner' | 'stop'>): string | null {
  return state.runner?.reason ?? state.stop?.reason ?? null;
}

/**
 * The host's clock now, from the last push: the page's own clock may be off by any amount, so only
 * the time since the push arrived is taken from it. Milliseconds since the epoch.
 */
export function hostNow(
  state: Pick<AppState, 'now'>,
  local: { readonly receivedAt: number; readonly now: number },
): number {
  return state.now + Math.max(0, local.now - local.receivedAt);
}

/** Whole seconds left, rounded up, never negative. For display only: the runner enforces deadlines. */
export function secondsLeft(expiresAt: number, now: number): number {
  return Math.max(0, Math.ceil((expiresAt - now) / 1000));
}

/** `14:05`, in the time zone of this machine. */
export function timeOfDay(at: number): string {
  const date = new Date(at);
  const two = (number: number): string => String(number).padStart(2, '0');
  return `${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** `0:07`, `2:00`, `1:02:09`. */
export function clockText(seconds: number): string {
  const rest = String(seconds % 60).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}:${rest}`;
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}:${rest}`;
}
