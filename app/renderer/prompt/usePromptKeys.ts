import { useEffect, useRef } from 'react';
import { actionOf } from '../../bridge/keys.ts';
import type { KeyAction } from '../../bridge/keys.ts';
import { isTyping, ownsArrows } from '../state/keyboard.ts';

export interface PromptKeys {
  readonly act: (action: KeyAction) => void;
  /** A key was let go. */
  readonly release: () => void;
  /** A key came while the ask is not armed. */
  readonly early: () => void;
  readonly armed: boolean;
}

/** The keys of the prompt, bound to the ask on screen. Typing into a field never answers. */
export function usePromptKeys(keys: PromptKeys): void {
  const current = useRef(keys);
  useEffect(() => {
    current.current = keys;
  });
  useEffect(() => {
    const down = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || isTyping(event.target)) return;
      const { act, early, armed } = current.current;
      const action = actionOf(event);
      if (!armed && !event.repeat) early();
      if (action === null || (event.key.startsWith('Arrow') && ownsArrows(event.target))) return;
      event.preventDefault();
      act(action);
    };
    const up = (): void => current.current.release();
    document.addEventListener('keydown', down);
    document.addEventListener('keyup', up);
    return () => {
      document.removeEventListener('keydown', down);
      document.removeEventListener('keyup', up);
    };
  }, []);
}
