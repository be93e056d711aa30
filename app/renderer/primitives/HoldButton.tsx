import type { CSSProperties, KeyboardEvent } from 'react';
import { Button } from './Button.tsx';
import type { ButtonProps } from './Button.tsx';
import type { Hold } from './hold.ts';
import './hold.css';

interface HoldButtonProps extends Omit<ButtonProps, 'onClick'> {
  readonly hold: Hold;
  readonly enabled: boolean;
  /** Shown while it is held. */
  readonly holding: string;
}

/** A button that acts when it is held to its end, by pointer, Space or Enter. */
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
