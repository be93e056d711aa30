import { useEffect, useRef } from 'react';
import { displayPlain } from '../../../shared/display/display.ts';
import { announce } from '../primitives/Announcer.tsx';
import { useApp } from '../state/app.ts';
import { useText } from '../state/preferences.ts';

const longestSpoken = 240;

/** Says each new ask once; one that ended without an answer from here is said as well. */
export function useAnnouncements(): void {
  const text = useText();
  const queue = useApp((model) => model.state?.queue);
  const missed = useApp((model) => model.state?.missed);
  const selected = useApp((model) => model.selected);
  const known = useRef(new Set<string>());
  const lastMissed = useRef<string | null | undefined>(undefined);

  useEffect(() => {
    const fresh = (queue ?? []).filter(({ ask }) => !known.current.has(ask.id));
    known.current = new Set((queue ?? []).map(({ ask }) => ask.id));
    const shown = fresh.find(({ ask }) => ask.id === selected);
    if (shown !== undefined) {
      const { agent, command, kind } = shown.ask;
      const spoken = displayPlain(command).slice(0, longestSpoken);
      announce(text.prompt.announce(displayPlain(agent), text.prompt.wants[kind], spoken));
    } else if (fresh.length > 0) announce(text.shell.waiting(queue?.length ?? 0));
  }, [queue, selected, text]);

  useEffect(() => {
    if (missed === undefined) return;
    const newest = missed[0];
    const id = newest?.ask.id ?? null;
    if (lastMissed.current !== undefined && newest !== undefined && lastMissed.current !== id) {
      announce(text.prompt.gone(text.missed.reasons[newest.reason]));
    }
    lastMissed.current = id;
  }, [missed, text]);
}
