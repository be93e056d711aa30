/** One shell word: quoted parts and plain characters up to a blank or an operator. A quote that a cut left open runs to the end. */
export const word = String.raw`(?:'[^']*(?:'|$)|"(?:[^"\\]|\\[^])*(?:"|\\?$)|\\[^]|[^\s'"\\;&|<>()])+`;

/** What an earlier rule has taken care of; the quote behind it must not be taken for a new one. */
export const notDone = String.raw`(?!\[redacted\])`;

/** The rest of a word in single quotes; `'\\''` is how a shell writes a quote in it. */
export const singleQuoted = String.raw`(?!')(?:[^']|'\\'')+`;
export const doubleQuoted = String.raw`(?!")(?:[^"\\]|\\[^])+`;

export interface ValueAfterOptions {
  /** What stands in front of the prefix, and of a quote before it. */
  readonly before?: string;
  readonly flags?: string;
}

/**
 * The value right behind `prefix`: to the end of the quote that was opened before it, else to the end
 * of the shell word.
 */
export function valueAfter(prefix: string, options: ValueAfterOptions = {}): readonly RegExp[] {
  const { before = '', flags = 'g' } = options;
  const bare = String.raw`(?<![\w.-])`;
  return [
    new RegExp(`(?<keep>${before}(?<=')${prefix})${singleQuoted}(?<rest>'|$)`, flags),
    new RegExp(`(?<keep>${before}(?<=")${prefix})${doubleQuoted}(?<rest>"|\\\\?$)`, flags),
    new RegExp(`(?<keep>${before}${bare}${prefix})${notDone}${word}`, flags),
  ];
}

/** Before the first character of a word, quoted or not. */
export const wordStart = String.raw`(?<![^\s'"=(;&|])`;

/** What announces a secret, at the end of a name. */
export const secretName = String.raw`(?:pass(?:word|wd|phrase|code)?|pwd|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|secret[-_]?key|credentials?|auth(?:orization)?|bearer|session[-_]?id|cookie|sas|dsn|connection[-_]?string)`;

/** Further parts that such a name may end with: `SECRET_KEY_BASE`, `API_TOKEN_2`. */
export const nameTail = String.raw`(?:[-_][A-Z0-9]{1,20}){0,2}`;
