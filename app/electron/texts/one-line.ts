import { displayText } from '../../../shared/display/display.ts';

export interface OneLine {
  readonly text: string;
  /** False when something was cut or had to be made visible: the person has not seen the original. */
  readonly faithful: boolean;
}

/** Untrusted text as one line of at most `limit` code points, cuts marked with "…". */
export function oneLine(text: string, limit: number): OneLine {
  const display = displayText(text);
  const joined = display.segments.map((segment) => segment.text).join('');
  const line = joined.replaceAll('\n', ' ⏎ ').replaceAll('\t', ' ⇥ ');
  const points = Array.from(line);
  const cut = points.length > limit;
  return {
    text: cut ? `${points.slice(0, limit - 1).join('')}…` : line,
    faithful: !cut && !display.marked && line === text,
  };
}
