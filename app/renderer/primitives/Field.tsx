import { useId } from 'react';
import { Icon } from './Icon.tsx';

export interface FieldProps {
  readonly label: string;
  readonly help?: string;
  /** A sentence about what is wrong, or undefined. */
  readonly problem?: string | undefined;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly type?: 'text' | 'datetime-local' | 'password';
  /** What the browser may fill in; nothing where it is not said. */
  readonly autoComplete?: 'current-password' | 'new-password';
  readonly mono?: boolean;
  /** Several lines. */
  readonly lines?: boolean;
}

/** A labelled text field that says what is wrong with it, in the place of its help. */
export function Field({ label, help, problem, value, onChange, ...look }: FieldProps) {
  const id = useId();
  const about = help === undefined && problem === undefined ? undefined : `${id}-about`;
  const shared = {
    id,
    className: look.mono === true ? 'input mono' : 'input',
    value,
    spellCheck: false,
    autoComplete: look.autoComplete ?? 'off',
    'aria-invalid': problem !== undefined,
    'aria-describedby': about,
  };
  return (
    <div className="field">
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      {look.lines === true ? (
        <textarea {...shared} rows={2} onChange={({ target }) => onChange(target.value)} />
      ) : (
        <input
          {...shared}
          type={look.type ?? 'text'}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
      {problem !== undefined ? (
        <p id={about} className="field-problem">
          <Icon name="caution" size={14} />
          {problem}
        </p>
      ) : (
        help !== undefined && (
          <p id={about} className="field-help">
            {help}
          </p>
        )
      )}
    </div>
  );
}
