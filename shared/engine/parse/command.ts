import type { OpaqueReason } from '../plan/types.ts';
import { announceHeredoc, substitution } from './quoting.ts';
import { skipBlanks, takeOperator } from './source.ts';
import type { PendingHeredoc, Source } from './source.ts';
import { opaque } from './syntax.ts';
import type {
  Group,
  ListItem,
  Piece,
  Prefix,
  Redirect,
  RedirectOperator,
  SimpleCommand,
  Word,
} from './syntax.ts';
import { readWord, unquotedText } from './word.ts';

/** Words that begin or continue a construct when they stand where a command may begin. */
const keywords: ReadonlyMap<string, readonly [OpaqueReason, string]> = new Map<
  string,
  readonly [OpaqueReason, string]
>([
  ['then', ['control-flow', 'Whether a command runs depends on a condition.']],
  ['else', ['control-flow', 'Whether a command runs depends on a condition.']],
  ['elif', ['control-flow', 'Whether a command runs depends on a condition.']],
  ['fi', ['control-flow', 'Whether a command runs depends on a condition.']],
  ['in', ['syntax-error', 'An `in` stands alone.']],
  ['esac', ['control-flow', 'Whether a command runs depends on a condition.']],
  ['select', ['control-flow', 'Commands run in a loop.']],
  ['do', ['control-flow', 'Commands run in a loop.']],
  ['done', ['control-flow', 'Commands run in a loop.']],
  ['[[', ['unsupported-syntax', 'A `[[ … ]]` condition can evaluate arithmetic.']],
  [']]', ['syntax-error', 'A `]]` stands alone.']],
  ['}', ['syntax-error', 'A `}` stands alone.']],
  ['function', ['function-definition', 'A function is defined.']],
  ['coproc', ['background', 'A command runs in the background.']],
]);

/** Why `text` cannot begin a simple command, or null. */
export function keywordError(text: string, word: Word): Error | null {
  const found = keywords.get(text);
  return found ? opaque(found[0], found[1], word.start, word.end) : null;
}

/** Whether a shell might read the word as a keyword. */
function isKeyword(text: string): boolean {
  return (
    keywords.has(text) ||
    /^(?:if|for|while|until|case)$/.test(text) ||
    text === '{' ||
    text === '!' ||
    text === 'time'
  );
}

const operators = ['<<<', '<<-', '<<', '<>', '<&', '>>', '>|', '>&', '<', '>'] as const;

/** The redirection operator that starts here, also `&>` and `&>>`, or null. */
export function redirectAt(source: Source): boolean {
  const c = source.text[source.at];
  return c === '<' || c === '>' || (c === '&' && source.text[source.at + 1] === '>');
}

/** Reads a redirection from its operator on; `descriptor` is the number that stood before it. */
export function readRedirect(source: Source, descriptor: number | null): Redirect {
  const { text } = source;
  const start = source.at;
  if (text[start + 1] === '(')
    throw opaque('process-substitution', 'A command takes the place of a file.', start, start + 2);
  const operator = operatorAt(source);
  if (operator === '<>')
    throw opaque('redirect', 'A file is opened for reading and writing.', start, start + 2);
  source.bashOnly ||= operator === '<<<' || operator.startsWith('&');
  takeOperator(source, operator);
  skipBlanks(source);
  const next = text[source.at];
  if (next === undefined || '\n|&;()<>#'.includes(next))
    throw opaque('syntax-error', 'A redirection leads nowhere.', start, source.at);
  const target = readWord(source);
  if (/^[0-9]+$/.test(unquotedText(target) ?? '') && /[<>]/.test(text[source.at] ?? ''))
    throw opaque('syntax-error', 'A redirection leads to another.', start, source.at);
  if (operator === '<<' || operator === '<<-') {
    const pending = announceHeredoc(target, operator === '<<-');
    source.pending.push(pending);
    return heredoc(pending, descriptor, start);
  }
  if (operator === '<<<') return { kind: 'text', descriptor, body: withNewline(target), start };
  return { kind: 'file', operator, descriptor, target, start };
}

function operatorAt(source: Source): RedirectOperator | '<<' | '<<-' | '<<<' | '<>' {
  const { text, at } = source;
  if (text.startsWith('&>>', at)) return '&>>';
  if (text.startsWith('&>', at)) return '&>';
  return operators.find((operator) => text.startsWith(operator, at)) ?? '<';
}

/** The body is read later, at the end of the line. */
function heredoc(pending: PendingHeredoc, descriptor: number | null, start: number): Redirect {
  return {
    kind: 'text',
    descriptor,
    get body() {
      return pending.body;
    },
    start,
  };
}

/** A here-string is expanded like a quoted word: no splitting, no patterns, no braces. */
function withNewline(word: Word): readonly Piece[] {
  const pieces = word.pieces.map((piece): Piece => {
    if (piece.kind === 'text' && !piece.quoted && piece.text.includes('~'))
      throw opaque('tilde', 'A here-string holds a tilde.', word.start, word.end);
    return { ...piece, quoted: true };
  });
  return [...pieces, { kind: 'text', text: '\n', quoted: true }];
}

const assignment = /^([A-Za-z_][A-Za-z0-9_]*)(\+?=|\[)/;

/** Whether a command ends here: at a newline, the end, or an operator other than a redirection. */
function ends(source: Source): boolean {
  const c = source.text[source.at];
  if (c === undefined || c === '\n' || c === '|' || c === ';' || c === ')') return true;
  return c === '&' && !redirectAt(source);
}

/** Reads a simple command whose first word may have been read already. */
export function readSimple(source: Source, first: Word | null, start: number): SimpleCommand {
  const words: Word[] = [];
  const assignments: Prefix[] = [];
  const redirects: Redirect[] = [];
  let end = start;
  let word = first;
  for (;;) {
    if (word !== null) {
      const descriptor = descriptorOf(source, word);
      if (descriptor !== null) redirects.push(readRedirect(source, descriptor));
      else takeWord(word, words, assignments, redirects.length > 0);
      end = source.at;
      word = null;
    }
    skipBlanks(source);
    const c = source.text[source.at];
    if (c === '#') {
      // Behind a blank or an operator this is a comment; a word would have swallowed it.
      break;
    }
    if (ends(source)) break;
    if (c === '(') {
      if (words.length === 1)
        throw opaque('function-definition', 'A function is defined.', start, source.at + 1);
      throw opaque('syntax-error', 'A parenthesis stands in the wrong place.', source.at);
    }
    if (source.text.startsWith('<(', source.at)) {
      word = readProcess(source);
    } else if (redirectAt(source)) {
      redirects.push(readRedirect(source, null));
      end = source.at;
    } else word = readWord(source);
  }
  return { kind: 'simple', assignments, words, redirects, start, end };
}

/** `<(…)`, which is a word of its own here: with more behind it shells read it in other ways. */
function readProcess(source: Source): Word {
  const start = source.at;
  source.at += 2;
  source.bashOnly = true;
  const list = substitution(source, start);
  if (!/^[ \t\n|&;)]?$/.test(source.text[source.at] ?? ''))
    throw opaque('process-substitution', 'A command takes the place of a file.', start, source.at);
  return { pieces: [{ kind: 'process', quoted: true, list }], start, end: source.at };
}

function takeWord(word: Word, words: Word[], assignments: Prefix[], redirected: boolean): void {
  if (words.length === 0) {
    const prefix = assignmentOf(word);
    if (prefix !== null) {
      assignments.push(prefix);
      return;
    }
    const text = unquotedText(word);
    if ((assignments.length > 0 || redirected) && text !== null && isKeyword(text))
      throw opaque('unsupported-syntax', `\`${text}\` is used as a name.`, word.start, word.end);
  }
  words.push(word);
}

/** The number right before a redirection, or null when the word is a word. */
function descriptorOf(source: Source, word: Word): number | null {
  const c = source.text[source.at];
  if (c !== '<' && c !== '>') return null;
  const text = unquotedText(word);
  if (text === null) return null;
  if (/^\{[A-Za-z_][A-Za-z0-9_]*\}$/.test(text))
    throw opaque('redirect', 'A descriptor is kept in a variable.', word.start, word.end);
  if (!/^[0-9]+$/.test(text)) return null;
  if (!/^[012]$/.test(text))
    throw opaque('redirect', `Descriptor ${text} is redirected.`, word.start, word.end);
  return Number(text);
}

function assignmentOf(word: Word): Prefix | null {
  const [piece, ...rest] = word.pieces;
  if (piece?.kind !== 'text' || piece.quoted) return null;
  const match = assignment.exec(piece.text);
  if (match === null) return null;
  const [all, name = '', operator] = match;
  if (operator === '[')
    throw opaque('array', 'An element of an array is assigned.', word.start, word.end);
  if (operator === '+=')
    throw opaque('assignment', 'A variable is added to.', word.start, word.end);
  const value: Piece[] = [...rest];
  if (piece.text.length > all.length)
    value.unshift({ kind: 'text', text: piece.text.slice(all.length), quoted: false });
  return { name, value: { pieces: value, start: word.start + all.length, end: word.end } };
}

/** Operators that evaluate nothing and that `[` knows with the same meaning. */
const unary = /^-[efdrwxsLhznpSbcugk]$/;
const binary = /^(?:==?|!=|-nt|-ot|-ef)$/;

/** Patterns, a tilde, and what only looks like braces: `[[` treats them in its own way. */
const special = /[*?[\]{}~]/;

/**
 * Reads `[[ … ]]` from behind its first word as the `[ … ]` that say the same: one operator each,
 * written without quotes, and literal operands, joined with `&&` and then `||`. Arithmetic operators,
 * `-v`, `=~`, patterns and parentheses stay opaque.
 */
export function readCondition(source: Source, opening: Word): SimpleCommand | Group {
  const { start } = opening;
  const parts: ListItem[] = [];
  let words: Word[] = [];
  for (;;) {
    skipBlanks(source);
    const c = source.text[source.at];
    if (c === undefined) throw opaque('syntax-error', 'A `[[` has no end.', start, source.at);
    const joiner = joinerAt(source);
    if (joiner === null && '\n|&;()<>#'.includes(c)) throw beyond(start, source.at);
    const word = joiner === null ? readWord(source) : null;
    if (joiner !== null) source.at += 2;
    else if (word !== null && unquotedText(word) !== ']]') {
      words.push(word);
      continue;
    }
    // In `[[` the first of them binds closer, in a list neither does.
    if (joiner === '&&' && parts.some((one) => one.joiner === '||')) throw beyond(start, source.at);
    checkForm(words, start, source.at);
    const command = bracketed(words, opening, source.at);
    const pipeline = { commands: [command], withErrors: [], negated: false, timed: null, start };
    parts.push({ pipeline, joiner: joiner ?? ';' });
    words = [];
    if (joiner !== null) continue;
    source.bashOnly = true;
    if (parts.length === 1) return command;
    return { kind: 'group', body: parts, redirects: [], start, end: source.at };
  }
}

function joinerAt({ text, at }: Source): '&&' | '||' | null {
  const next = text.slice(at, at + 2);
  return next === '&&' || next === '||' ? next : null;
}

/** All parts of a condition begin where it does. */
function bracketed(words: readonly Word[], { start }: Word, end: number): SimpleCommand {
  const bracket = (text: string): Word => ({
    pieces: [{ kind: 'text', text, quoted: true }],
    start,
    end: start + 2,
  });
  const all = [bracket('['), ...words, bracket(']')];
  return { kind: 'simple', assignments: [], redirects: [], words: all, start, end };
}

function checkForm(words: readonly Word[], start: number, end: number): void {
  const negated = words.length > 1 && words[0] !== undefined && unquotedText(words[0]) === '!';
  const [first, second, third, more] = negated ? words.slice(1) : words;
  if (first === undefined || more !== undefined) throw beyond(start, end);
  const operands = second === undefined ? [first] : third === undefined ? [second] : [first, third];
  const operator = second === undefined ? null : third === undefined ? first : second;
  const known = third === undefined ? unary : binary;
  const understood = operator === null || known.test(unquotedText(operator) ?? '');
  if (!understood || operands.some(isSpecial)) throw beyond(start, end);
}

function isSpecial({ pieces }: Word): boolean {
  return pieces.some((piece) => piece.kind === 'text' && !piece.quoted && special.test(piece.text));
}

function beyond(start: number, end: number): Error {
  return opaque(
    'unsupported-syntax',
    'A `[[ … ]]` condition is not understood: it can evaluate arithmetic and patterns.',
    start,
    end,
  );
}
