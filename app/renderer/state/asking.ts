import { useCallback, useEffect, useState } from 'react';
import type { BridgeCall, BridgeCalls, BridgeResult } from '../../bridge/types.ts';
import { call, useApp } from './app.ts';

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

/** How often a view that nothing tells of changes looks for them, in milliseconds. */
const lookMs = 3_000;

const nothing = {} as const;

/**
 * What a call answers, asked for again and again while the view is shown: null before the first
 * answer, with a sentence where there is none to be had. `look` asks at once.
 */
export function useLook<C extends 'boxes' | 'nodes'>(name: C) {
  const link = useApp((model) => model.link);
  const [known, setKnown] = useState<BridgeCalls[C]['result'] | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const look = useCallback(async (): Promise<void> => {
    const answer = await call(name, nothing);
    setKnown(answer.ok ? answer.result : null);
    setProblem(answer.ok ? null : `${answer.refusal.message} ${answer.refusal.hint}`);
  }, [name]);
  useEffect(() => {
    if (link !== 'open') return undefined;
    void look();
    const timer = setInterval(() => void look(), lookMs);
    return () => clearInterval(timer);
  }, [link, look]);
  return { known, problem, look };
}
