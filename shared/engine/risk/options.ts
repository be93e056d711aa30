/** Options that take their value as the next word, for one program. */
export type ValueOptions = ReadonlySet<string>;

const none: ValueOptions = new Set();

/** Words that are no options; after `--` all are operands. */
export function operands(
  args: readonly string[],
  withValue: ValueOptions = none,
): readonly string[] {
  const found: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? '';
    if (word === '--') return [...found, ...args.slice(at + 1)];
    if (withValue.has(word)) at += 1;
    else if (word === '-' || !word.startsWith('-')) found.push(word);
  }
  return found;
}

/** Has one of the letters in a short cluster (`-rf`), or one of the long options, abbreviated or with a value. */
export function hasOption(
  args: readonly string[],
  short: string,
  long: readonly string[] = [],
): boolean {
  for (const word of args) {
    if (word === '--') return false;
    if (word.startsWith('--')) {
      const name = word.split('=', 1)[0] ?? word;
      if (long.some((option) => option === name || (name.length > 4 && option.startsWith(name))))
        return true;
    } else if (
      word.startsWith('-') &&
      Array.from(short).some((letter) => word.slice(1).includes(letter))
    ) {
      return true;
    }
  }
  return false;
}

/** Values of an option: `-o v`, `-ov`, `--option v`, `--option=v`. */
export function valuesOf(args: readonly string[], names: readonly string[]): readonly string[] {
  const values: string[] = [];
  for (const [index, word] of args.entries()) {
    const next = args[index + 1];
    for (const name of names) {
      if (word === name) {
        if (next !== undefined) values.push(next);
      } else if (name.startsWith('--') ? word.startsWith(`${name}=`) : word.startsWith(name)) {
        values.push(word.slice(name.startsWith('--') ? name.length + 1 : name.length));
      }
    }
  }
  return values;
}
