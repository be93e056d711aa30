import { holds } from './forms.ts';
import type { Offer, Reading } from './types.ts';

/** Which widths of a rule the record lets a reading have. */
export function offerOf(reading: Reading): Offer {
  const offers = reading.grammar?.offers ?? 'exact';
  return typeof offers === 'function' ? offers(reading) : offers;
}

/** Whether the reading only prints help or a version. */
export function isHelp(reading: Reading): boolean {
  return holds(reading, '--help', '--version');
}
