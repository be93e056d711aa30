import { useEffect, useState } from 'react';
import { armedFrom } from '../../bridge/arming.ts';
import type { Exposure } from '../../bridge/arming.ts';
import { useApp } from './app.ts';
import { onWindowFocus, windowFocusedAt } from './focus.ts';

interface Shown {
  readonly exposure: Exposure;
  /** Allow is enabled. */
  readonly armed: boolean;
  /** Restarts the delay: what was typed was not yet meant for this ask. */
  readonly restart: () => void;
}

/** How long an ask has been in view, and whether it may be allowed yet. `digest` identifies it. */
export function useShown(digest: string): Shown {
  const [since, setSince] = useState({ digest: '', at: Number.POSITIVE_INFINITY });
  const [focusedAt, setFocusedAt] = useState(windowFocusedAt);
  const [armedAt, setArmedAt] = useState<number | null>(null);
  const shownAt = since.digest === digest ? since.at : Number.POSITIVE_INFINITY;
  const exposure = { shownAt, focusedAt };

  useEffect(() => setSince({ digest, at: performance.now() }), [digest]);
  useEffect(() => onWindowFocus(() => setFocusedAt(windowFocusedAt())), []);
  const pace = useApp((model) => model.state?.pace);
  const from = armedFrom(exposure, pace);
  useEffect(() => {
    if (!Number.isFinite(from)) return undefined;
    const wait = Math.max(0, from - performance.now()) + 1;
    const timer = setTimeout(() => setArmedAt(from), wait);
    return () => clearTimeout(timer);
  }, [from]);

  return {
    exposure,
    armed: armedAt === from,
    restart: () => setSince({ digest, at: performance.now() }),
  };
}
