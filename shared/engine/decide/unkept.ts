/** Why what would run in the sandbox unasked is asked about all the same. */
export function unkeptSentence(why: string): string {
  return `It would run in the sandbox unasked, but what it changes there could not be taken back: ${why.replace(/\.$/u, '')}.`;
}

/** What to do about that. */
export const unkeptHint =
  'Wait for the answer of a person, or have one mend it or set undo.on in config.json to off.';
