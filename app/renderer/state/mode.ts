import { modeOf, reasonOf } from '../../bridge/mode.ts';
import type { Mode } from '../../bridge/mode.ts';
import { useApp } from './app.ts';

/** What holds: a lock shows even when the runner is gone. Null before the first state. */
export function useMode(): Mode | null {
  return useApp(({ state }) => (state === null ? null : modeOf(state)));
}

/** Why it holds, or null. */
export function useModeReason(): string | null {
  return useApp(({ state }) => (state === null ? null : reasonOf(state)));
}
