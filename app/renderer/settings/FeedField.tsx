import { useState } from 'react';
import { Button } from '../primitives/Button.tsx';
import { Field } from '../primitives/Field.tsx';
import { useText } from '../state/preferences.ts';

interface FeedFieldProps {
  readonly saved: string | null;
  readonly disabled: boolean;
  readonly onSave: (address: string | null) => void;
}

/** The address of the update feed; it is saved on purpose, not while it is typed. */
export function FeedField({ saved, disabled, onSave }: FeedFieldProps) {
  const { settings } = useText();
  const [address, setAddress] = useState(saved ?? '');
  const wanted = address.trim();
  const wrong = wanted !== '' && !/^https:\/\/[^\s@]+$/.test(wanted);
  return (
    <form
      className="settings-feed"
      onSubmit={(event) => {
        event.preventDefault();
        if (!wrong) onSave(wanted === '' ? null : wanted);
      }}
    >
      <Field
        label={settings.names.updateFeed}
        problem={wrong ? settings.feed : undefined}
        value={address}
        onChange={setAddress}
        mono
      />
      <Button type="submit" disabled={disabled || wrong || wanted === (saved ?? '')}>
        {settings.save}
      </Button>
    </form>
  );
}
