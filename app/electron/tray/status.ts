import { modeOf, reasonOf } from '../../bridge/mode.ts';
import type { AppState } from '../../bridge/types.ts';

/** The one thing that the tray icon says. */
export type TrayStatus =
  | { readonly kind: 'gone' }
  | { readonly kind: 'locked'; readonly reason: string | null }
  | { readonly kind: 'paused'; readonly reason: string | null }
  | { readonly kind: 'invalid'; readonly problem: string }
  | { readonly kind: 'asking'; readonly count: number }
  | { readonly kind: 'armed'; readonly running: number };

/** The status of a state, worst first; null is the time before the first state. */
export function trayStatus(state: AppState | null): TrayStatus {
  if (state === null) return { kind: 'gone' };
  const { runner } = state;
  const mode = modeOf(state);
  if (mode === 'locked') return { kind: 'locked', reason: reasonOf(state) };
  if (runner === null) return { kind: 'gone' };
  if (mode === 'paused') return { kind: 'paused', reason: reasonOf(state) };
  const problem = runner.policyProblem ?? state.policy.problem?.message ?? null;
  if (problem !== null) return { kind: 'invalid', problem };
  if (state.queue.length > 0) return { kind: 'asking', count: state.queue.length };
  return { kind: 'armed', running: runner.running };
}
