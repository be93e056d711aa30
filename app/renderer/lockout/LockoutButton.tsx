import { useState } from 'react';
import { captionOf } from '../../bridge/keys.ts';
import { Button } from '../primitives/Button.tsx';
import { useMode } from '../state/mode.ts';
import { useText } from '../state/preferences.ts';
import { lockOut } from './lock-out.ts';

/** One click and everything stops. It takes even the click that focuses the window. */
export function LockoutButton() {
  const { lockout } = useText();
  const locked = useMode() === 'locked';
  const [busy, setBusy] = useState(false);
  return (
    <Button
      look="danger"
      icon="lockout"
      className="lockout-button"
      shortcut={captionOf('lockout')}
      title={lockout.title}
      aria-description={lockout.title}
      data-always=""
      disabled={locked || busy}
      onClick={() => {
        setBusy(true);
        void lockOut().finally(() => setBusy(false));
      }}
    >
      {lockout.button}
    </Button>
  );
}
