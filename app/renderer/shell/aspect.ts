import { modeOf } from '../../bridge/mode.ts';
import type { AppState } from '../../bridge/types.ts';
import type { Link } from '../connection/types.ts';
import type { SignalAspect } from '../primitives/Signal.tsx';

/** The one word for the state of the gate, the gravest first. */
export function aspectOf(state: AppState | null, link: Link): SignalAspect {
  if (link !== 'open' || state === null) return 'gone';
  const mode = modeOf(state);
  if (mode === 'runner-gone') return 'gone';
  if (mode !== 'armed') return mode;
  return state.queue.length > 0 ? 'asks' : 'armed';
}
