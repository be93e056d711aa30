import { useEffect, useState } from 'react';
import type { BridgeCall, BridgeCalls, BridgeResult } from '../../bridge/types.ts';
import { call } from './app.ts';

/** How long typing has to pause before the host is asked, in milliseconds. */
const typingPause = 200;

export interface Asking<C extends BridgeCall> {
  /** The last answer; it stays until the next one is there. Null before the first. */
  readonly answer: BridgeResult<C> | null;
  /** The answer to what is typed now has not arrived yet. */
  readonly asking: boolean;
}

/**
 * The host's answer to a call that is made again whenever its arguments change and typing pauses.
 * The arguments have to be memoised; null: there is nothing to ask, and no answer.
 */
export function useAsking<C extends BridgeCall>(
  name: C,
  args: BridgeCalls[C]['args'] | null,
): Asking<C> {
  const [state, setState] = useState<Asking<C>>({ answer: null, asking: false });
  useEffect(() => {
    if (args === null) {
      setState({ answer: null, asking: false });
      return undefined;
    }
    let current = true;
    setState(({ answer }) => ({ answer, asking: true }));
    const timer = setTimeout(async () => {
      const answer = await call(name, args);
      if (current) setState({ answer, asking: false });
    }, typingPause);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [name, args]);
  return state;
}
