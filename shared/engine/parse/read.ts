import { readCondition } from './command.ts';
import { keywordAt, readControl, skipLines } from './control.ts';
import { keywordError } from './command.ts';
import { opaque } from './syntax.ts';
import { readRedirect, redirectAt } from './command.ts';
import { readSimple } from './command.ts';
import { openSource, skipBlanks, skipComment, takeOperator, type Source } from './source.ts';
import type {
  Command,
  CommandList,
  Group,
  Joiner,
  ListItem,
  Pipeline,
  Redirect,
} from './syntax.ts';
import type { Word } from './syntax.ts';
import { readWord, unquotedText } from './word.ts';

/** Groups and subshells may nest this deep. */
const deepest = 24;

/** Which shell a text is for; words that only bash knows mean something else to others. */
export type Dialect = 'bash' | 'posix';

/** What may end a list; none at the end of the text. Words end it where a command could begin. */
export type Closer = ')' | '}' | 'then' | 'do' | 'done' | 'elif' | 'else' | 'fi' | ';;' | 'esac';

/** A list up to what closed it. */
export interface ClosedList {
  readonly items: CommandList;
  readonly closer: Closer | null;
}

/**
 * Reads the whole text as a list of pipelines, with the rules that POSIX sh and bash share. Throws
 * `Opaque` at the first thing outside of the short list that is understood. One pass: every
 * character is read once.
 */
export function readCommand(text: string, dialect: Dialect = 'bash'): CommandList {
  const source = openSource(text, readSubstitution);
  const { items: list } = readList(source, []);
  if (source.pending.length > 0)
    throw opaque('syntax-error', 'A heredoc has no body.', source.pending[0]?.start);
  if (source.bashOnly && dialect === 'posix')
    throw opaque('unsupported-syntax', 'A text for a POSIX shell holds what only bash knows.');
  return list;
}

function readList(source: Source, closers: readonly Closer[]): ClosedList {
  const items: ListItem[] = [];
  for (;;) {
    skipLines(source);
    let closer = closes(source, closers);
    if (closer !== undefined) return closed(source, items, closer);
    const pipeline = readPipeline(source);
    const joiner = readJoiner(source, closers);
    items.push({ pipeline, joiner: joiner ?? ';' });
    if (joiner === '&&' || joiner === '||') {
      skipLines(source);
      if (closes(source, closers) !== undefined)
        throw opaque('syntax-error', `Nothing follows \`${joiner}\`.`, source.at);
    } else if (joiner === null) {
      closer = closes(source, closers);
      // A list that a word ends, `}` too, may only end behind a separator.
      if (closer !== undefined && (closer === null || closer === ')' || closer === ';;'))
        return closed(source, items, closer);
      throw opaque('syntax-error', 'A group has no end.', source.at);
    }
  }
}

function closed(source: Source, items: CommandList, closer: Closer | null): ClosedList {
  const mayBeEmpty = closer === null || closer === ';;' || closer === 'esac';
  if (items.length === 0 && !mayBeEmpty)
    throw opaque('syntax-error', 'A group is empty.', source.at);
  return { items, closer };
}

/** What ends the list here, null for the end of the text, undefined where it goes on; moves past it. */
function closes(source: Source, closers: readonly Closer[]): Closer | null | undefined {
  const { text, at } = source;
  const c = text[at];
  if (c === undefined) {
    if (closers.length > 0) throw opaque('syntax-error', 'A group has no end.', at);
    return null;
  }
  if (c === ')') {
    if (!closers.includes(')')) throw opaque('syntax-error', 'A `)` stands alone.', at);
    takeOperator(source, ')');
    return ')';
  }
  if (c === ';' && text[at + 1] === ';' && text[at + 2] !== '&' && closers.includes(';;')) {
    takeOperator(source, ';;');
    return ';;';
  }
  if (c === '}' && closers.includes('}') && /^[ \t\n|&;()<>]?$/.test(text[at + 1] ?? '')) {
    source.at++;
    return '}';
  }
  return keywordAt(source, closers) ?? undefined;
}

/** The operator between two pipelines; null when there is none. A newline counts as `;`. */
function readJoiner(source: Source, closers: readonly Closer[]): Joiner | null {
  skipBlanks(source);
  skipComment(source);
  const { text, at } = source;
  const c = text[at];
  if (c === '\n') return ';';
  if (c === ';') {
    const next = text[at + 1];
    if (next === ';' && text[at + 2] !== '&' && closers.includes(';;')) return null;
    if (next === ';' || next === '&')
      throw opaque('syntax-error', 'A `;;` belongs to a `case`.', at, at + 2);
    takeOperator(source, ';');
    return ';';
  }
  if (c === '&') {
    const joiner = text[at + 1] === '&' ? '&&' : '&';
    takeOperator(source, joiner);
    return joiner;
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
    if (c === '(') return readGroup(source, { closer: ')', start });
    if (redirectAt(source)) return readSimple(source, null, start);
    throw opaque('syntax-error', 'A command is missing.', start);
  }
  const text = unquotedText(word);
  if (text === '{') return readGroup(source, { closer: '}', start });
  if (text === '[[') {
    const condition = readCondition(source, word);
    return { ...condition, redirects: readRedirects(source), end: source.at };
  }
  const control = text === null ? null : readControl(source, text, word, enclosedList);
  if (control !== null) return { ...control, redirects: readRedirects(source), end: source.at };
  const error = text === null ? null : keywordError(text, word);
  if (error !== null) throw error;
  return readSimple(source, word, start);
}

/** The commands of a substitution. One of no words is not a command, and shells differ about it. */
function readSubstitution(source: Source, closer: ')' | null): CommandList {
  const { start } = { start: source.at };
  const { items } = enclosedList(source, closer === null ? [] : [closer]);
  const [first] = items;
  const [command] = first?.pipeline.commands ?? [];
  if (command?.kind === 'simple' && command.words.length === 0)
    throw opaque('command-substitution', 'A substitution runs no command.', start, source.at);
  if (source.pending.length > 0 || items.length === 0)
    throw opaque('command-substitution', 'A substitution is unusual.', start, source.at);
  return items;
}

/** A list inside another command. */
function enclosedList(source: Source, closers: readonly Closer[]): ClosedList {
  if (++source.depth > deepest)
    throw opaque('too-deep', 'Groups are nested too deeply.', source.at);
  const list = readList(source, closers);
  source.depth--;
  return list;
}

function readGroup(source: Source, at: { closer: ')' | '}'; start: number }): Group {
  const { closer, start } = at;
  if (closer === ')') {
    if (source.text[source.at + 1] === '(')
      throw opaque('arithmetic', 'Arithmetic can run commands.', start, start + 2);
    takeOperator(source, '(');
  }
  const { items: body } = enclosedList(source, [closer]);
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
