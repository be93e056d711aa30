import { modeOf } from '../../bridge/state.ts';
import type { AppState } from '../../bridge/types.ts';
import type { Link } from '../state/connection.ts';

type SignalAspect = 'armed' | 'asks' | 'paused' | 'locked' | 'gone';

/** Angle of the arm: raised means clear, level means stop, hanging means out of order. */
const arms: Record<SignalAspect, string> = {
  armed: 'M5.5 8.5 13.5 3.5',
  asks: 'M5.5 8.5 14 6.2',
  paused: 'M5.5 6.500H14',
  locked: 'M5.5 6.500H14',
  gone: 'M5.5 6.5 10.5 12.5',
};

/** The state of the gate as a semaphore signal: a post, an arm and a lamp. */
export function Signal({
  aspect,
  size = 20,
}: {
  readonly aspect: SignalAspect;
  readonly size?: number;
}) {
  return (
    <svg
      className={`signal signal-${aspect}`}
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeLinecap="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d="M4 2v12M2 14h4" strokeWidth="1.5" />
      <path
        d={arms[aspect]}
        strokeWidth="3"
        strokeDasharray={aspect === 'gone' ? '1 3.5' : 'none'}
      />
    </svg>
  );
}

/** The one word for the state of the gate, the gravest first. */
export function aspectOf(state: AppState | null, link: Link): SignalAspect {
  if (link !== 'open' || state === null) return 'gone';
  const mode = modeOf(state);
  if (mode === 'runner-gone') return 'gone';
  if (mode !== 'armed') return mode;
  return state.queue.length > 0 ? 'asks' : 'armed';
}
