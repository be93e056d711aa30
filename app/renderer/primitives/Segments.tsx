import { useId } from 'react';
import { Key } from './Button.tsx';

export interface SegmentOption<V extends string> {
  readonly value: V;
  readonly label: string;
  readonly shortcut?: string;
  readonly disabled?: boolean;
}

interface SegmentsProps<V extends string> {
  /** Names the group. */
  readonly legend: string;
  readonly showLegend?: boolean;
  readonly options: readonly SegmentOption<V>[];
  readonly value: V | null;
  readonly onChange: (value: V) => void;
}

/** One choice of few, as native radio buttons that look like one control. */
export function Segments<V extends string>(props: SegmentsProps<V>) {
  const name = useId();
  return (
    <fieldset className="field">
      <legend className={props.showLegend === true ? 'field-label' : 'visually-hidden'}>
        {props.legend}
      </legend>
      <div className="segments">
        {props.options.map(({ value, label, shortcut, disabled }) => (
          <label key={value} className="segment">
            <input
              type="radio"
              name={name}
              value={value}
              checked={props.value === value}
              disabled={disabled === true}
              onChange={() => props.onChange(value)}
            />
            <span>
              {label}
              {shortcut !== undefined && <Key name={shortcut} />}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
