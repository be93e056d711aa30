import { useEffect } from 'react';
import { useApp } from '../state/app.ts';
import { useText } from '../state/preferences.ts';
import { aspectOf } from './aspect.ts';

/** Keeps the window's title and icon in step with the state of the gate. */
export function useTitle(): void {
  const text = useText();
  const waiting = useApp((model) => model.state?.queue.length ?? 0);
  const aspect = useApp((model) => aspectOf(model.state, model.link));
  useEffect(() => {
    const word = aspect === 'asks' ? text.title.asks(waiting) : text.mode[aspect];
    document.title = `${word} · ${text.app}`;
    const icon = document.querySelector('link[rel="icon"]');
    const href = icon?.getAttribute('href') ?? '';
    icon?.setAttribute('href', href.replace(/signal-\w+/, `signal-${aspect}`));
  }, [aspect, waiting, text]);
}
