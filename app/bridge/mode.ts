import type { AppState } from './types.ts';

/** What every surface shows first. `runner-gone`: nothing runs, because nobody decides. */
export type Mode = 'armed' | 'paused' | 'locked' | 'runner-gone';

/** The mode of a state. A lock shows even when the runner is gone. */
export function modeOf(state: Pick<AppState, 'runner' | 'stop'>): Mode {
  if (state.runner?.mode === 'locked' || state.stop?.mode === 'locked') return 'locked';
  return state.runner?.mode ?? 'runner-gone';
}

/** The reason that goes with the mode, or null. Untrusted text. */
export function reasonOf(state: Pick<AppState, 'runner' | 'stop'>): string | null {
  return state.runner?.reason ?? state.stop?.reason ?? null;
}
