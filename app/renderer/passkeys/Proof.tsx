import { useState } from 'react';
import type { KnownPasskey } from '../../bridge/types.ts';
import { Button } from '../primitives/Button.tsx';
import { Field } from '../primitives/Field.tsx';
import { useApp } from '../state/app.ts';
import { useText } from '../state/preferences.ts';
import { usableHere } from './ceremony.ts';
import type { Shown } from './ceremony.ts';
import './passkeys.css';

interface ProofProps {
  readonly known: readonly KnownPasskey[];
  readonly enabled: boolean;
  readonly onProof: (shown: Shown) => Promise<void>;
}

/** The passphrase, or a passkey that is there already. */
export function Proof({ known, enabled, onProof }: ProofProps) {
  const { passkeys: words } = useText();
  const hasPassphrase = useApp((model) => model.state?.hasPassphrase) ?? false;
  const failure = useApp((model) => model.failure);
  const usable = usableHere(known);
  const [passphrase, setPassphrase] = useState('');
  const [busy, setBusy] = useState(false);
  const show = async (shown: Shown): Promise<void> => {
    setBusy(true);
    await onProof(shown);
    setBusy(false);
    setPassphrase('');
  };
  const ready = enabled && !busy;
  return (
    <form
      className="passkey-proof"
      onSubmit={(event) => {
        event.preventDefault();
        if (ready && passphrase !== '') void show({ passphrase });
      }}
    >
      <p>{words.whoAreYou}</p>
      {hasPassphrase && (
        <>
          <Field
            label={words.passphrase}
            type="password"
            autoComplete="current-password"
            value={passphrase}
            onChange={setPassphrase}
          />
          <Button type="submit" look="accent" disabled={!ready || passphrase === ''}>
            {words.goOn}
          </Button>
        </>
      )}
      {usable.length > 0 && (
        <Button disabled={!ready} onClick={() => void show({ passkeys: usable })}>
          {words.useOne}
        </Button>
      )}
      {busy && <p role="status">{words.busy}</p>}
      {failure !== null && !busy && (
        <p className="field-problem" role="alert">
          {failure.message} {failure.hint}
        </p>
      )}
    </form>
  );
}
