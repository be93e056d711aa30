import type { Verdict } from './types.ts';

/** Nobody is there to have allowed it, so it must be possible to take it back; else a person is asked. */
export function unkept(here: Verdict, why: string): Verdict {
  const message = unkeptSentence(why);
  // Where asking is off, it stays refused.
  const both = { ...here, host: 'sandbox', message: `${here.message} ${message}` };
  return here.decision === 'deny' ? both : { ...both, reason: 'not-kept', hint: unkeptHint };
}

/** Why what would run in the sandbox unasked is asked about all the same. */
export function unkeptSentence(why: string): string {
  return `It would run in the sandbox unasked, but what it changes there could not be taken back: ${why.replace(/\.$/u, '')}.`;
}

/** What to do about that. */
export const unkeptHint =
  'Wait for the answer of a person, or have one mend it or set undo.on in config.json to off.';
