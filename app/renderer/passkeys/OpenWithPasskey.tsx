import { useEffect, useState } from 'react';
import { challengeFor } from '../../../shared/engine/index.ts';
import { Button } from '../primitives/Button.tsx';
import { useApp } from '../state/app.ts';
import { nonceToOpen, sessionByPasskey } from '../state/connection.ts';
import { useText } from '../state/preferences.ts';
import { ownRpId, signWith } from './ceremony.ts';

async function open(): Promise<void> {
  const { fail, enter } = useApp.getState();
  // Of now: the one that showed that there is a passkey may be too old.
  const nonce = await nonceToOpen();
  if (nonce === null) return;
  const assertion = await signWith(challengeFor(['open', nonce]), []);
  if (assertion === null) return;
  const opened = await sessionByPasskey(nonce, assertion);
  if (typeof opened === 'string') enter(opened);
  else fail(opened);
}

/** Opens a page without a session by a passkey; nothing where none is made for it. */
export function OpenWithPasskey() {
  const { passkeys } = useText();
  const [offered, setOffered] = useState(false);
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    let gone = false;
    if (ownRpId() !== null)
      void nonceToOpen().then((nonce) => {
        if (!gone) setOffered(nonce !== null);
        return undefined;
      });
    return () => {
      gone = true;
    };
  }, []);
  if (!offered) return null;
  return (
    <Button
      look="accent"
      disabled={busy}
      onClick={() => {
        setBusy(true);
        void open().finally(() => setBusy(false));
      }}
    >
      {busy ? passkeys.busy : passkeys.open}
    </Button>
  );
}
