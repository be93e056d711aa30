import { useId, useState } from 'react';
import { Button } from '../primitives/Button.tsx';
import { useText } from '../state/preferences.ts';
import { acceleratorOf } from './accelerator.ts';

interface ShortcutFieldProps {
  readonly label: string;
  readonly value: string | null;
  readonly disabled: boolean;
  readonly onChange: (value: string | null) => void;
}

const alone = new Set(['Control', 'Alt', 'Shift', 'Meta', 'AltGraph', 'Tab', 'Escape']);

/** Takes a shortcut by having its keys pressed. */
export function ShortcutField({ label, value, disabled, onChange }: ShortcutFieldProps) {
  const { settings } = useText();
  const id = useId();
  const [wrong, setWrong] = useState(false);
  return (
    <div className="field">
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      <div className="shortcut">
        <input
          id={id}
          className="input mono"
          readOnly
          disabled={disabled}
          value={value ?? settings.none}
          aria-describedby={`${id}-about`}
          aria-invalid={wrong}
          onBlur={() => setWrong(false)}
          onKeyDown={(event) => {
            if (alone.has(event.key)) return;
            event.preventDefault();
            const clears = event.key === 'Delete' || event.key === 'Backspace';
            const pressed = clears
              ? null
              : acceleratorOf(event, navigator.platform.startsWith('Mac'));
            setWrong(!clears && pressed === null);
            if (clears || pressed !== null) onChange(pressed);
          }}
        />
        <Button
          look="plain"
          icon="close"
          aria-label={`${label}: ${settings.off}`}
          title={settings.off}
          disabled={disabled || value === null}
          onClick={() => onChange(null)}
        />
      </div>
      <p id={`${id}-about`} className={wrong ? 'field-problem' : 'field-help'}>
        {wrong ? settings.pressed : settings.press}
      </p>
    </div>
  );
}
