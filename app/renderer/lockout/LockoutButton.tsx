import { useState } from 'react';
import { captionOf } from '../../bridge/keys.ts';
import { Button } from '../primitives/Button.tsx';
import { callOrShow, useApp, useMode } from '../state/app.ts';
import { usePreferences, useText } from '../state/preferences.ts';
import { catalogueFor } from '../text/languages.ts';

/** Locks everything out at once. What it did is kept for the panel that then shows. */
export async function lockOut(): Promise<void> {
  const { language } = usePreferences.getState();
  const { reason, noLink } = catalogueFor(language, navigator.languages).lockout;
  const { link, fail } = useApp.getState();
  if (link !== 'open') {
    fail({ code: 'host-unavailable', ...noLink });
    return;
  }
  const done = await callOrShow('lockout', { reason });
  if (done !== null) useApp.getState().lockedOut(done);
}

/** One click stops everything. Even the click that focuses the window counts. */
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
      disabled={locked || busy}
      onClick={() => {
        setBusy(true);
        void lockOut().finally(() => setBusy(false));
      }}
    >
      {locked ? lockout.buttonLocked : lockout.button}
    </Button>
  );
}
