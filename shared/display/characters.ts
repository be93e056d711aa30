import { confusableWith } from './confusables.ts';

export type MarkReason = 'control' | 'bidi' | 'invisible' | 'confusable' | 'ansi';

export interface CharacterMark {
  readonly reason: MarkReason;
  readonly text: string;
  readonly meaning: string;
}

const bidi = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
const spaces = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/u;
// Fillers and blanks that Unicode does not class as format characters.
const blanks = new RegExp(
  String.raw`[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\uffa0\ufe00-\ufe0f\u{e0100}-\u{e01ef}]`,
  'u',
);
const unseen = /[\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}]/u;
const control = /\p{Cc}/u;

/** How a character must be shown, or null when it may stand as it is. */
export function markOf(character: string): CharacterMark | null {
  const code = codeName(character);
  if (character === '\n' || character === '\t') return null;
  if (control.test(character)) {
    return { reason: 'control', text: `⟨${code}⟩`, meaning: `control character ${code}` };
  }
  if (bidi.test(character)) {
    const meaning = `${code} changes the direction in which text is shown`;
    return { reason: 'bidi', text: `⟨${code}⟩`, meaning };
  }
  if (spaces.test(character)) {
    return { reason: 'invisible', text: `⟨${code}⟩`, meaning: `${code}, a blank that is no space` };
  }
  if (blanks.test(character) || unseen.test(character)) {
    return { reason: 'invisible', text: `⟨${code}⟩`, meaning: `invisible character ${code}` };
  }
  const like = confusableWith(character);
  if (like === null) return null;
  const meaning = `${code}, looks like "${like}" and is another character`;
  return { reason: 'confusable', text: `${character}⟨${code}⟩`, meaning };
}

/** `U+202E`. */
export function codeName(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}
