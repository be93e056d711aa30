import { readCondition } from './command.ts';
import { readHeredocs } from './quoting.ts';
import { keywordError } from './command.ts';
import { opaque } from './syntax.ts';
import { readRedirect, redirectAt } from './command.ts';
import { readSimple } from './command.ts';
import { openSource, skipBlanks, skipComment, takeOperator, type Source } from './source.ts';
import type {
  Command,
  CommandList,
  Compound,
  Joiner,
  ListItem,
  Pipeline,
  Redirect,
} from './syntax.ts';
import type { Word } from './syntax.ts';
import { readWord, unquotedText } from './word.ts';

/** Groups and subshells may nest this deep. */
export const deepest = 24;

/** Which shell a text is for; words that only bash knows mean something else to others. */
export type Dialect = 'bash' | 'posix';

type Closer = '' | ')' | '}';

/**
 * Reads the whole text as a list of pipelines, with the rules that POSIX sh and bash share. Throws
 * `Opaque` at the first thing outside of the short list that is understood. One pass: every
 * character is read once.
 */
export function readCommand(text: string, dialect: Dialect = 'bash'): CommandList {
  const source = openSource(text);
  const list = readList(source, '');
  if (source.pending.length > 0)
    throw opaque('syntax-error', 'A heredoc has no body.', source.pending[0]?.start);
  if (source.bashOnly && dialect === 'posix')
    throw opaque('unsupported-syntax', 'A text for a POSIX shell holds what only bash knows.');
  return list;
}

/** Skips blanks, comments and newlines; heredocs announced on a line are read at its end. */
function skipLines(source: Source): void {
  for (;;) {
    skipBlanks(source);
    skipComment(source);
    if (source.text[source.at] !== '\n') return;
    source.at++;
    if (source.pending.length > 0) readHeredocs(source);
  }
}

function readList(source: Source, closer: Closer): CommandList {
  const items: ListItem[] = [];
  for (;;) {
    skipLines(source);
    if (closes(source, closer)) break;
    const pipeline = readPipeline(source);
    const joiner = readJoiner(source);
    items.push({ pipeline, joiner: joiner ?? ';' });
    if (joiner === '&&' || joiner === '||') {
      skipLines(source);
      if (closes(source, closer))
        throw opaque('syntax-error', `Nothing follows \`${joiner}\`.`, source.at);
    } else if (joiner === null) {
      // A list inside `{ }` may only end behind a separator.
      if (closer === '}') throw opaque('syntax-error', 'A group has no end.', source.at);
      if (closes(source, closer)) break;
    }
  }
  if (items.length === 0 && closer !== '')
    throw opaque('syntax-error', 'A group is empty.', source.at);
  return items;
}

/** True at the end of the list; moves past a closing mark. */
function closes(source: Source, closer: Closer): boolean {
  const c = source.text[source.at];
  if (c === undefined) {
    if (closer !== '') throw opaque('syntax-error', 'A group has no end.', source.at);
    return true;
  }
  if (c === ')') {
    if (closer !== ')') throw opaque('syntax-error', 'A `)` stands alone.', source.at);
    takeOperator(source, ')');
    return true;
  }
  if (c === '}' && closer === '}' && /^[ \t\n|&;()<>]?$/.test(source.text[source.at + 1] ?? '')) {
    source.at++;
    return true;
  }
  return false;
}

/** The operator between two pipelines; null when there is none. A newline counts as `;`. */
function readJoiner(source: Source): Joiner | null {
  skipBlanks(source);
  skipComment(source);
  const { text, at } = source;
  const c = text[at];
  if (c === '\n') return ';';
  if (c === ';') {
    const next = text[at + 1];
    if (next === ';' || next === '&')
      throw opaque('syntax-error', 'A `;;` belongs to a `case`.', at, at + 2);
    takeOperator(source, ';');
    return ';';
  }
  if (c === '&') {
    if (text[at + 1] !== '&') throw opaque('background', 'A command runs in the background.', at);
    takeOperator(source, '&&');
    return '&&';
  }
  if (c === '|' && text[at + 1] === '|') {
    takeOperator(source, '||');
    return '||';
  }
  if (c === undefined || c === ')') return null;
  throw opaque('syntax-error', 'A command does not end where it should.', at);
}

function readPipeline(source: Source): Pipeline {
  const start = source.at;
  let negated = false;
  let timed: Pipeline['timed'] = null;
  let word = readFirstWord(source);
  if (word !== null && unquotedText(word) === 'time') {
    source.bashOnly = true;
    ({ timed, word } = readTimed(source, word));
  }
  if (word !== null && unquotedText(word) === '!') {
    negated = true;
    skipBlanks(source);
    word = readFirstWord(source);
    const again = word === null ? null : unquotedText(word);
    if (word === null ? emptyAt(source) : again === '!' || again === 'time')
      throw opaque('unsupported-syntax', 'A `!` stands alone or twice.', start, source.at);
  }
  const commands: Command[] = [readCommandFrom(source, word)];
  const withErrors: boolean[] = [];
  for (;;) {
    skipBlanks(source);
    const { text, at } = source;
    if (text[at] !== '|' || text[at + 1] === '|') break;
    const errors = text[at + 1] === '&';
    source.bashOnly ||= errors;
    takeOperator(source, errors ? '|&' : '|');
    withErrors.push(errors);
    skipLines(source);
    const next = readFirstWord(source);
    const name = next === null ? null : unquotedText(next);
    if (name === '!' || name === 'time')
      throw opaque('unsupported-syntax', `\`${name}\` stands inside a pipeline.`, source.at);
    commands.push(readCommandFrom(source, next));
  }
  return { commands, withErrors, negated, timed, start };
}

function readTimed(source: Source, time: Word): { timed: Pipeline['timed']; word: Word | null } {
  skipBlanks(source);
  const word = readFirstWord(source);
  if (word === null) {
    if (emptyAt(source)) throw opaque('unsupported-syntax', 'Nothing is timed.', time.start);
    return { timed: 'time', word };
  }
  const text = unquotedText(word);
  if (text === '-p') {
    skipBlanks(source);
    const next = readFirstWord(source);
    if (next === null ? emptyAt(source) : /^(-|time$|!$)/.test(unquotedText(next) ?? ''))
      throw opaque('unsupported-syntax', '`time` is used in an unusual way.', time.start);
    return { timed: 'time -p', word: next };
  }
  if (text !== null && (text.startsWith('-') || text === 'time' || text === '!'))
    throw opaque('unsupported-syntax', '`time` is used in an unusual way.', time.start);
  return { timed: 'time', word };
}

/** The first word of a command, or null where a parenthesis, redirection or nothing stands. */
function readFirstWord(source: Source): Word | null {
  const c = source.text[source.at];
  if (c === undefined || c === '\n' || c === '#' || '|&;()<>'.includes(c)) return null;
  return readWord(source);
}

function emptyAt(source: Source): boolean {
  return source.text[source.at] !== '(' && !redirectAt(source);
}

function readCommandFrom(source: Source, word: Word | null): Command {
  const start = word?.start ?? source.at;
  if (word === null) {
    const c = source.text[source.at];
    if (c === '(') return readCompound(source, { closer: ')', start });
    if (redirectAt(source)) return readSimple(source, null, start);
    throw opaque('syntax-error', 'A command is missing.', start);
  }
  const text = unquotedText(word);
  if (text === '{') return readCompound(source, { closer: '}', start });
  if (text === '[[') return readCondition(source, word);
  const error = text === null ? null : keywordError(text, word);
  if (error !== null) throw error;
  return readSimple(source, word, start);
}

function readCompound(source: Source, at: { closer: ')' | '}'; start: number }): Compound {
  const { closer, start } = at;
  if (closer === ')') {
    if (source.text[source.at + 1] === '(')
      throw opaque('arithmetic', 'Arithmetic can run commands.', start, start + 2);
    takeOperator(source, '(');
  }
  if (++source.depth > deepest) throw opaque('too-deep', 'Groups are nested too deeply.', start);
  const body = readList(source, closer);
  source.depth--;
  const redirects = readRedirects(source);
  const kind = closer === ')' ? 'subshell' : 'group';
  return { kind, body, redirects, start, end: source.at };
}

function readRedirects(source: Source): Redirect[] {
  const redirects: Redirect[] = [];
  for (;;) {
    skipBlanks(source);
    const { text, at } = source;
    const numbered = /[012]/.test(text[at] ?? '') && /[<>]/.test(text[at + 1] ?? '');
    if (numbered) {
      const descriptor = Number(text[at]);
      source.at++;
      redirects.push(readRedirect(source, descriptor));
    } else if (redirectAt(source)) redirects.push(readRedirect(source, null));
    else return redirects;
  }
}
