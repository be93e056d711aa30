import { armDelayMs } from '../../../app/bridge/arming.ts';
import type { KeyPress } from '../../../app/bridge/keys.ts';
import type { AppState, QueuedAsk } from '../../../app/bridge/types.ts';
import { reduceKey } from '../../../app/terminal/reduce.ts';
import { firstScreen } from '../../../app/terminal/screen-state.ts';
import type { ScreenState, Step } from '../../../app/terminal/screen-state.ts';
import { takeState } from '../../../app/terminal/reduce.ts';

export const start = 1_700_000_000_000;
/** Every ask that was in view from the start is armed by now. */
export const later = start + armDelayMs;

export function appState(queue: readonly QueuedAsk[], change: Partial<AppState> = {}): AppState {
  return {
    revision: 1,
    now: start,
    runner: { mode: 'armed', reason: null, running: 0, pending: 0, policyProblem: null },
    queue,
    missed: [],
    policy: { hash: 'h', problem: null },
    ...change,
  };
}

/** A screen that shows the oldest of these asks since `start`. */
export function screenWith(...queue: readonly QueuedAsk[]): ScreenState {
  return takeState(firstScreen(start), appState(queue), start);
}

/** The screen after these keys, all pressed at one moment, and the last effect. */
export function press(state: ScreenState, keys: readonly (string | KeyPress)[], now = later): Step {
  let step: Step = { state, effect: null };
  for (const key of keys) {
    step = reduceKey(step.state, typeof key === 'string' ? { key } : key, now);
  }
  return step;
}
