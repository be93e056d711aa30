import type { ArgToken } from '../../../shared/engine/index.ts';

export type ArgsProblem = 'quote' | 'rest' | 'alternatives';

type ParsedArgs =
  | { readonly ok: true; readonly args: readonly ArgToken[] }
  | { readonly ok: false; readonly problem: ArgsProblem };

const plain = /^[A-Za-z0-9_./:=@%+,*?~^{}[\]!#$&;<>`-]+$/;

function quoted(word: string): string {
  return plain.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The words of a rule as one line: quoted where needed, alternatives as `(a|b)`. */
export function argsToText(args: readonly ArgToken[]): string {
  return args
    .map((token) =>
      typeof token === 'string' ? quoted(token) : `(${token.map(quoted).join('|')})`,
    )
    .join(' ');
}

interface Word {
  /** Alternatives; a plain word has one. */
  readonly parts: string[];
  readonly bracketed: boolean;
}

/**
 * The words of a line as a rule has them. Quotes work as in a shell: `'…'` and `"…"`, and a
 * backslash outside of them takes the next character as it is.
 */
export function argsFromText(text: string): ParsedArgs {
  const words: Word[] = [];
  let at = 0;
  while (at < text.length) {
    if (/\s/.test(text.charAt(at))) {
      at += 1;
      continue;
    }
    const bracketed = text.charAt(at) === '(';
    const parts: string[] = [];
    if (bracketed) at += 1;
    for (;;) {
      const read = readWord(text, at, bracketed);
      if (read === null) return { ok: false, problem: 'quote' };
      parts.push(read.word);
      at = read.end;
      if (!bracketed) break;
      if (read.word === '' || at >= text.length) return { ok: false, problem: 'alternatives' };
      at += 1;
      if (text.charAt(at - 1) === ')') break;
    }
    words.push({ parts, bracketed });
  }
  const rest = words.findIndex(({ parts }) => parts.length === 1 && parts[0] === '...');
  if (rest !== -1 && rest !== words.length - 1) return { ok: false, problem: 'rest' };
  return {
    ok: true,
    args: words.map(({ parts, bracketed }) => (bracketed ? parts : (parts[0] ?? ''))),
  };
}

function readWord(
  text: string,
  from: number,
  bracketed: boolean,
): { readonly word: string; readonly end: number } | null {
  let word = '';
  let at = from;
  while (at < text.length) {
    const character = text.charAt(at);
    if (bracketed ? /[|)]/.test(character) : /\s/.test(character)) break;
    if (character === "'" || character === '"') {
      const close = text.indexOf(character, at + 1);
      if (close === -1) return null;
      word += text.slice(at + 1, close);
      at = close + 1;
    } else if (character === '\\' && at + 1 < text.length) {
      word += text.charAt(at + 1);
      at += 2;
    } else {
      word += character;
      at += 1;
    }
  }
  return { word, end: at };
}
