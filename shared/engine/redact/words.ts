/** One word of a command as the program gets it, and where each of its characters stands. */
export interface TextWord {
  readonly text: string;
  /** Index in the text of each character of the word. */
  readonly at: readonly number[];
  /** It was quoted or escaped somewhere, so that its inside is a text of its own. */
  readonly isQuoted: boolean;
  /** It stands behind `<<<`. */
  readonly isHereString: boolean;
}

export interface TextCommand {
  readonly words: readonly TextWord[];
  /** What it prints is the input of the next one. */
  readonly isPiped: boolean;
}

const escapesInAnsi: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

/**
 * The text as words of simple commands. It is not a parser: any text has words, a quote that nobody
 * closes runs to the end, and what is cut is read as far as it goes. One pass over the text.
 */
export function textCommands(text: string): readonly TextCommand[] {
  const commands: TextCommand[] = [];
  let words: TextWord[] = [];
  let chars: string[] = [];
  let at: number[] = [];
  let isQuoted = false;
  let isHereString = false;
  const endWord = (): void => {
    if (chars.length > 0 || isQuoted) {
      words.push({ text: chars.join(''), at, isQuoted, isHereString });
      isHereString = false;
    }
    chars = [];
    at = [];
    isQuoted = false;
  };
  const endCommand = (isPiped: boolean): void => {
    endWord();
    if (words.length > 0) commands.push({ words, isPiped });
    words = [];
    isHereString = false;
  };
  const put = (char: string, index: number): void => {
    chars.push(char);
    at.push(index);
  };
  /** Reads up to the quote, and returns the index behind it. */
  const quoted = (quote: string, start: number, isAnsi: boolean): number => {
    isQuoted = true;
    let index = start;
    for (; index < text.length && text[index] !== quote; index += 1) {
      const char = text[index] ?? '';
      const next = text[index + 1];
      const isEscape =
        char === '\\' &&
        next !== undefined &&
        (isAnsi || (quote === '"' && /[\\"$`\n]/u.test(next)));
      if (!isEscape) {
        put(char, index);
        continue;
      }
      index += 1;
      put(isAnsi ? (escapesInAnsi[next] ?? next) : next, index);
    }
    return index + 1;
  };
  let index = 0;
  while (index < text.length) {
    const char = text[index] ?? '';
    const next = text[index + 1];
    if (char === "'") index = quoted("'", index + 1, false);
    else if (char === '"') index = quoted('"', index + 1, false);
    else if (char === '$' && next === "'") index = quoted("'", index + 2, true);
    else if (char === '$' && next === '"') index = quoted('"', index + 2, false);
    else if (char === '\\' && next !== undefined) {
      // In front of a letter it is rather an escape of `printf` or of JSON than one of the shell.
      if (/[A-Za-z0-9]/u.test(next)) {
        put(char, index);
        put(next, index + 1);
      } else if (next !== '\n') {
        isQuoted = true;
        put(next, index + 1);
      }
      index += 2;
    } else if (/[\s<>]/u.test(char) && char !== '\n') {
      endWord();
      isHereString ||= text.startsWith('<<<', index);
      index += char === '<' && text.startsWith('<<<', index) ? 3 : 1;
    } else if (/[\n;&|()`]/u.test(char) || (char === '$' && next === '(')) {
      endCommand(char === '|' && next !== '|' && text[index - 1] !== '|');
      index += 1;
    } else {
      put(char, index);
      index += 1;
    }
  }
  endCommand(false);
  return commands;
}
