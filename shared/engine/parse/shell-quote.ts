/** Characters that mean nothing to any shell, in any place of a word. */
const plain = /^[A-Za-z0-9_./@%+=:,-]+$/;

/**
 * One word, quoted so that every POSIX shell reads it back as exactly this text. Always quoted,
 * also where it would not be needed, so that no word can become a keyword, a name or an option of
 * the shell itself. The one place in Interlock that quotes for a shell.
 */
export function quoteWord(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** An argument vector as a line that a person reads: quoted only where it must be. */
export function quoteWords(argv: readonly string[]): string {
  return argv.map((word) => (plain.test(word) ? word : quoteWord(word))).join(' ');
}
