/**
 * Characters that are easily taken for an ASCII character. Pairs: the lookalikes, what they look
 * like. A selection from the Unicode confusables data: letters of living scripts, and all signs that
 * mean something to a shell.
 */
const signs: readonly (readonly [lookalikes: string, like: string])[] = [
  ['\u2010\u2011\u2012\u2013\u2212\u02d7\ufe58\uff0d', '-'],
  ['\u2044\u2215\u29f8\u2571\uff0f\u3033', '/'],
  ['\u2216\u29f5\u29f9\ufe68\uff3c', '\\'],
  ['\u037e\uff1b\u061b\ufe54', ';'],
  ['\u01c0\u2223\u23d0\uff5c\u2758', '|'],
  ['\u2018\u2019\u201b\u2032\u02b9\u02bc\u02c8\uff07', "'"],
  ['\u201c\u201d\u201f\u2033\u02ba\uff02', '"'],
  ['\u02cb\u1fef\u2035\uff40', '`'],
  ['\uff04\ufe69', '$'],
  ['\uff06\ufe60', '&'],
  ['\u2039\uff1c\u02c2\u276e', '<'],
  ['\u203a\uff1e\u02c3\u276f', '>'],
  ['\u2024\u0660\u06f0\ua4f8\uff0e\ufe52', '.'],
  ['\u2217\u204e\uff0a\u066d', '*'],
  ['\u223c\u02dc\uff5e', '~'],
  ['\u2236\u02d0\ua789\uff1a\u0589\u05c3', ':'],
  ['\ua78a\uff1d\u1400', '='],
  ['\uff08\u2768', '('],
  ['\uff09\u2769', ')'],
  ['\uff5b\u2774', '{'],
  ['\uff5d\u2775', '}'],
  ['\u01c3\uff01\u2d51', '!'],
  ['\uff03', '#'],
  ['\u201a\uff0c\u066b', ','],
];

const letters: readonly (readonly [lookalikes: string, like: string])[] = [
  // Cyrillic
  ['авсԁеһіјӏорԛѕтхуԝ', 'abcdehijloqqstxyw'],
  ['АВСЕНІЈКМОРЅТХУԜ', 'ABCEHIJKMOPSTXYW'],
  // Greek
  ['αορνικυτ', 'aopvikut'],
  ['ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ', 'ABEZHIKMNOPTYX'],
  // Armenian, Hebrew, Cherokee
  ['աոսհօցո', 'wnuhogn'],
  ['ᎪᏴᏟᎠᎬᎻᎥᏦᏞᎷᏢᏒᏚᎢᏙᎳᏃ', 'ABCDEHiKLMPRSTVWZ'],
  // Latin letters outside ASCII that hide in a name
  ['ıɑɡӏℓ', 'iagll'],
];

const table = new Map<string, string>();
for (const [lookalikes, like] of signs) {
  for (const sign of lookalikes) table.set(sign, like);
}
const letterTable = new Map<string, string>();
for (const [lookalikes, like] of letters) {
  for (const [index, letter] of Array.from(lookalikes).entries()) {
    letterTable.set(letter, like[index] ?? '?');
  }
}

/** Full-width forms and mathematical letters: their compatibility form is plain ASCII. */
function compatibleAscii(character: string): string | null {
  const code = character.codePointAt(0) ?? 0;
  const stylistic = (code >= 0xff01 && code <= 0xff5e) || (code >= 0x1d400 && code <= 0x1d7ff);
  const plain = stylistic ? character.normalize('NFKC') : '';
  return /^[\x21-\x7e]$/.test(plain) ? plain : null;
}

/** The ASCII sign or styled letter that a character is always taken for, or null. */
export function confusableWith(character: string): string | null {
  return table.get(character) ?? compatibleAscii(character);
}

/** The ASCII letter that a letter of another script looks like, or null. */
export function letterLookalike(character: string): string | null {
  return letterTable.get(character) ?? null;
}
