import { useCallback, useEffect, useRef, useState } from 'react';
import type { CSSProperties, KeyboardEvent } from 'react';
import { holdProgress } from '../../bridge/arming.ts';
import { useApp } from '../state/app.ts';
import { Button } from './Button.tsx';
import type { ButtonProps } from './Button.tsx';
import './hold.css';

export interface Hold {
  /** 0 to 1. */
  readonly progress: number;
  readonly begin: () => void;
  readonly cancel: () => void;
}

/**
 * A press that counts only when it lasts. `done` runs once at its end; letting go, leaving the
 * button, or the window losing focus cancels it, as does `enabled` turning false.
 */
export function useHold(done: () => void, enabled: boolean): Hold {
  const [progress, setProgress] = useState(0);
  const since = useRef<number | null>(null);
  const frame = useRef(0);
  const finish = useRef(done);
  useEffect(() => {
    finish.current = done;
  });

  const cancel = useCallback(() => {
    since.current = null;
    cancelAnimationFrame(frame.current);
    setProgress(0);
  }, []);

  const begin = useCallback(() => {
    if (since.current !== null) return;
    since.current = performance.now();
    const step = (): void => {
      const share = holdProgress(since.current, performance.now(), useApp.getState().state?.pace);
      if (share < 1) {
        setProgress(share);
        frame.current = requestAnimationFrame(step);
        return;
      }
      cancel();
      finish.current();
    };
    frame.current = requestAnimationFrame(step);
  }, [cancel]);

  useEffect(() => {
    if (!enabled) cancel();
  }, [enabled, cancel]);
  useEffect(() => {
    window.addEventListener('blur', cancel);
    return () => {
      window.removeEventListener('blur', cancel);
      cancel();
    };
  }, [cancel]);

  return { progress, begin, cancel };
}

interface HoldButtonProps extends Omit<ButtonProps, 'onClick'> {
  readonly hold: Hold;
  readonly enabled: boolean;
  /** Shown while it is held. */
  readonly holding: string;
}

/** A button that acts when it is held for its full time, by pointer, Space or Enter. */
export function HoldButton({ hold, enabled, holding, children, ...rest }: HoldButtonProps) {
  const active = hold.progress > 0;
  const press = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    if (!event.repeat && enabled) hold.begin();
  };
  const style = { '--held': hold.progress } as CSSProperties;
  return (
    <Button
      {...rest}
      className={`hold ${rest.className ?? ''}`}
      aria-disabled={!enabled}
      style={style}
      onPointerDown={(event) => {
        if (event.button !== 0 || !enabled) return;
        hold.begin();
      }}
      onPointerUp={hold.cancel}
      onPointerLeave={hold.cancel}
      onPointerCancel={hold.cancel}
      onContextMenu={(event) => event.preventDefault()}
      onKeyDown={press}
      onKeyUp={hold.cancel}
      onBlur={hold.cancel}
    >
      <span className="hold-fill" aria-hidden="true" />
      <span className="hold-word">{active ? holding : children}</span>
    </Button>
  );
}
