import { useCallback, useEffect, useRef, useState } from 'react';
import type { GuideState } from '../../bridge/guide.ts';
import { useApp } from '../state/app.ts';
import { call } from '../state/call.ts';
import { usePreferences } from '../state/preferences.ts';

/** What is set up, looked up again when something that matters changes; null while it stays away. */
export function useGuide(): GuideState | null {
  const closed = usePreferences(({ guideClosed }) => guideClosed);
  const link = useApp((model) => model.link);
  const hash = useApp((model) => model.state?.policy.hash);
  const running = useApp((model) => model.state !== null && model.state.runner !== null);
  const waiting = useApp((model) => model.state?.queue.length ?? 0);
  const [state, setState] = useState<GuideState | null>(null);
  const [seen, setSeen] = useState(false);
  // Each of these may have done a step.
  const reason = [hash, running, waiting].join(' ');
  const look = useCallback(async (): Promise<void> => {
    const answer = await call('guide', {});
    if (!answer.ok) return;
    setState(answer.result);
    if (!answer.result.finished) setSeen(true);
  }, []);
  const asked = useRef('');
  useEffect(() => {
    // An ask that was answered may have done a step too.
    if (waiting > 0) asked.current = '';
    if (link !== 'open' || closed || waiting > 0 || asked.current === reason) return;
    asked.current = reason;
    void look();
  }, [link, closed, waiting, reason, look]);
  // Who had finished before this page opened is not congratulated each time.
  return closed || state === null || (state.finished && !seen) ? null : state;
}
