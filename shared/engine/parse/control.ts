import { readHeredocs } from './quoting.ts';
import { skipBlanks, skipComment, takeOperator, type Source } from './source.ts';
import { opaque } from './syntax.ts';
import type {
  CaseClause,
  CommandList,
  Compound,
  ForLoop,
  IfClause,
  WhileLoop,
  Word,
} from './syntax.ts';
import { readWord, unquotedText } from './word.ts';
import type { ClosedList, Closer } from './read.ts';

/** Reads a list up to one of the closers, and moves past it. */
type ReadList = (source: Source, closers: readonly Closer[]) => ClosedList;

/** A compound command without what its redirections say. */
type Control<Kind extends Compound> = Omit<Kind, 'redirects' | 'end'>;
type AnyControl = Control<ForLoop> | Control<WhileLoop> | Control<IfClause> | Control<CaseClause>;

/** Skips blanks, comments and newlines; heredocs announced on a line are read at its end. */
export function skipLines(source: Source): void {
  for (;;) {
    skipBlanks(source);
    skipComment(source);
    if (source.text[source.at] !== '\n') return;
    source.at++;
    if (source.pending.length > 0) readHeredocs(source);
  }
}

const keyword = /(?:then|do|done|elif|else|fi|esac|in)(?=[ \t\n|&;()<>]|$)/y;

/** The keyword that stands here as a word of its own, if it is one of those; moves past it. */
export function keywordAt<Name extends string>(
  source: Source,
  names: readonly Name[],
): Name | null {
  keyword.lastIndex = source.at;
  const word = keyword.exec(source.text)?.[0];
  const found = names.find((name) => name === word);
  if (found === undefined) return null;
  source.at += found.length;
  return found;
}

/** Reads the construct that a word begins, from behind that word; null where it begins none. */
export function readControl(
  source: Source,
  text: string,
  { start }: Word,
  readList: ReadList,
): AnyControl | null {
  switch (text) {
    case 'for':
      return readFor(source, start, readList);
    case 'while':
    case 'until': {
      const { items: condition } = readList(source, ['do']);
      return { kind: text, condition, body: readList(source, ['done']).items, start };
    }
    case 'if':
      return readIf(source, start, readList);
    case 'case':
      return readCase(source, start, readList);
    default:
      return null;
  }
}

const name = /^[A-Za-z_][A-Za-z0-9_]*$/;

function readFor(source: Source, start: number, readList: ReadList): Control<ForLoop> {
  const variable = wordHere(source, start);
  const text = variable === null ? null : unquotedText(variable);
  skipLines(source);
  if (text === null || !name.test(text) || keywordAt(source, ['in']) === null)
    throw opaque('control-flow', 'A loop does not say what it goes through.', start, source.at);
  const words: Word[] = [];
  for (;;) {
    const word = wordHere(source, start);
    if (word === null) break;
    words.push(word);
  }
  const c = source.text[source.at];
  if (c === ';') takeOperator(source, ';');
  else if (c !== '\n' && c !== '#')
    throw opaque('syntax-error', 'The list of a loop has no end.', start, source.at);
  skipLines(source);
  if (keywordAt(source, ['do']) === null)
    throw opaque('syntax-error', 'A loop has no `do`.', start, source.at);
  return { kind: 'for', name: text, words, body: readList(source, ['done']).items, start };
}

/** The next word, or null where none stands before an operator, a comment or the end. */
function wordHere(source: Source, start: number): Word | null {
  skipBlanks(source);
  const c = source.text[source.at];
  if (c === undefined) throw opaque('syntax-error', 'A construct has no end.', start, source.at);
  return '\n#|&;()<>'.includes(c) ? null : readWord(source);
}

function readIf(source: Source, start: number, readList: ReadList): Control<IfClause> {
  const branches: { condition: CommandList; body: CommandList }[] = [];
  for (;;) {
    const { items: condition } = readList(source, ['then']);
    const { items: body, closer } = readList(source, ['elif', 'else', 'fi']);
    branches.push({ condition, body });
    if (closer === 'elif') continue;
    const otherwise = closer === 'else' ? readList(source, ['fi']).items : null;
    return { kind: 'if', branches, otherwise, start };
  }
}

function readCase(source: Source, start: number, readList: ReadList): Control<CaseClause> {
  const subject = wordHere(source, start);
  skipLines(source);
  if (subject === null || keywordAt(source, ['in']) === null)
    throw opaque('syntax-error', 'A `case` does not say what it looks at.', start, source.at);
  const branches: { patterns: readonly Word[]; body: CommandList }[] = [];
  for (;;) {
    skipLines(source);
    if (keywordAt(source, ['esac']) !== null) break;
    if (source.text[source.at] === '(') takeOperator(source, '(');
    const patterns = readPatterns(source, start);
    const { items: body, closer } = readList(source, [';;', 'esac']);
    branches.push({ patterns, body });
    if (closer === 'esac') break;
  }
  if (branches.length === 0) throw opaque('syntax-error', 'A `case` is empty.', start, source.at);
  return { kind: 'case', subject, branches, start };
}

function readPatterns(source: Source, start: number): readonly Word[] {
  const patterns: Word[] = [];
  for (;;) {
    const word = wordHere(source, start);
    if (word === null)
      throw opaque('syntax-error', 'A pattern of a `case` is missing.', start, source.at);
    patterns.push(word);
    skipBlanks(source);
    const c = source.text[source.at];
    if (c === ')') {
      takeOperator(source, ')');
      return patterns;
    }
    if (c !== '|')
      throw opaque('syntax-error', 'A pattern of a `case` has no end.', start, source.at);
    takeOperator(source, '|');
  }
}
