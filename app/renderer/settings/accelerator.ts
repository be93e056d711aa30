/** A key press, in the words of the DOM's `KeyboardEvent`. */
interface Press {
  readonly code: string;
  readonly ctrlKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
  readonly metaKey: boolean;
}

const named: Readonly<Record<string, string>> = {
  Space: 'Space',
  Enter: 'Return',
  Insert: 'Insert',
  Home: 'Home',
  End: 'End',
  PageUp: 'PageUp',
  PageDown: 'PageDown',
  ArrowUp: 'Up',
  ArrowDown: 'Down',
  ArrowLeft: 'Left',
  ArrowRight: 'Right',
};

/**
 * A press as Electron writes a shortcut, or null when it cannot be one: a key without a modifier
 * would be taken from every program, and Shift alone makes it a capital letter.
 */
export function acceleratorOf(press: Press, mac: boolean): string | null {
  const key =
    /^Key([A-Z])$/.exec(press.code)?.[1] ??
    /^Digit([0-9])$/.exec(press.code)?.[1] ??
    /^(F(?:[1-9]|1[0-9]|2[0-4]))$/.exec(press.code)?.[1] ??
    named[press.code];
  if (key === undefined || !(press.ctrlKey || press.altKey || press.metaKey)) return null;
  return [
    ...(press.ctrlKey ? ['Control'] : []),
    ...(press.altKey ? ['Alt'] : []),
    ...(press.shiftKey ? ['Shift'] : []),
    ...(press.metaKey ? [mac ? 'Command' : 'Super'] : []),
    key,
  ].join('+');
}
