import type { Argument } from '../programs/types.ts';
import { Opaque, opaque, piecesOf } from '../parse/syntax.ts';
import type { Piece, SimpleCommand, Word } from '../parse/syntax.ts';
import { quoteWord } from '../parse/shell-quote.ts';
import { expandBraces, hasBraces } from './expansions.ts';
import { substitute, unknownOutput, wordsAt, type Chunk, type Lookup } from './expansions.ts';
import { mayBePattern, readPattern } from './expansions.ts';
import { expandTilde, refuseInnerTilde } from './expansions.ts';

/** A word as the program will get it, and as the canonical rendering writes it. */
export interface RenderedArgument extends Argument {
  readonly render: string;
}

/** A literal word. */
export function literal(text: string): RenderedArgument {
  return { text, live: null, render: quoteWord(text) };
}

/**
 * All words that one word of the command stands for. Without `splits` a value that a shell would
 * split is not known: the target of a redirection is one word to some shells, and an error to others.
 */
export function expandWord(
  word: Word,
  lookup: Lookup,
  { splits = true, unknownWords = false, unknownValues = false } = {},
): readonly RenderedArgument[] {
  const [piece] = word.pieces;
  if (word.pieces.length === 1 && piece?.kind === 'text') {
    if (piece.quoted || !/[~{*?[]/.test(piece.text)) return [literal(piece.text)];
  }
  try {
    const chunks = substitute(word, lookup, true);
    const loose = chunks.find((chunk) => chunk.kind === 'output' && !chunk.quoted);
    if (loose?.kind === 'output') {
      const may = loose.text === unknownOutput ? unknownWords : unknownWords || unknownValues;
      if (may && chunks.length === 1)
        return [{ text: loose.text, live: 'output', render: loose.render }];
      throw opaque(
        loose.text === unknownOutput ? 'command-substitution' : 'parameter-expansion',
        'What another command prints would be split into words.',
      );
    }
    const broken = chunks.length === 0 || chunks.some((chunk) => chunk.kind === 'break');
    if (broken && !splits)
      throw opaque('parameter-expansion', 'A value would be split into words.');
    if (!hasBraces(chunks)) return wordsAt(chunks).map((one) => finish(one, lookup));
    if (broken) throw opaque('brace-expansion', 'A value is split next to a brace list.');
    refuseGluedNames(word);
    // A word of which nothing is left, not even quotes, is not a word.
    return expandBraces(chunks).flatMap((one) => (one.length === 0 ? [] : [finish(one, lookup)]));
  } catch (error) {
    throw located(error, word);
  }
}

/** A value for a variable: literal, or with what a command prints in it. */
export function expandLive(word: Word, lookup: Lookup): RenderedArgument {
  const isOutput = ({ kind }: Piece): boolean => kind === 'output' || kind === 'variable';
  if (!word.pieces.some(isOutput)) return literal(expandValue(word, lookup));
  try {
    const chunks = substitute(word, lookup, false);
    if (!chunks.some(({ kind }) => kind === 'output')) return literal(valueOf(chunks, lookup));
    const odd = chunks.some((one) => one.kind === 'text' && !one.quoted && one.text.includes('~'));
    if (odd) throw opaque('tilde', 'A `~` stands beside what a command prints.');
    return finish(chunks, lookup);
  } catch (error) {
    throw located(error, word);
  }
}

/** The one literal text of a word that is neither split nor matched: a value or a file name. */
export function expandValue(word: Word, lookup: Lookup): string {
  try {
    return valueOf(substitute(word, lookup, false), lookup);
  } catch (error) {
    throw located(error, word);
  }
}

function valueOf(before: readonly Chunk[], lookup: Lookup): string {
  let text = '';
  for (const chunk of expandTilde(before, lookup)) {
    if (chunk.kind === 'output')
      throw opaque('command-substitution', 'The output of another command is used.');
    if (chunk.kind !== 'text')
      throw opaque('parameter-expansion', 'The value of a variable is not known.');
    if (!chunk.quoted && /(?:^|[:=])~/.test(chunk.text))
      throw opaque('tilde', 'A `~` stands inside a value.');
    text += chunk.text;
  }
  return text;
}

/** The text of a heredoc or here-string. */
export function expandBody(body: readonly Piece[], start: number, lookup: Lookup): string {
  const word: Word = { pieces: body, start, end: start + 1 };
  try {
    return expandValue(word, lookup);
  } catch {
    throw opaque('heredoc-expansion', 'The text given to a command holds expansions.', start);
  }
}

function finish(before: readonly Chunk[], lookup: Lookup): RenderedArgument {
  refuseInnerTilde(before);
  const chunks = expandTilde(before, lookup);
  const pattern = mayBePattern(chunks) ? readPattern(chunks) : null;
  if (pattern !== null) return { text: pattern.text, live: 'pattern', render: pattern.render };
  let text = '';
  let live: RenderedArgument['live'] = null;
  let render = '';
  for (const chunk of chunks) {
    if (chunk.kind === 'process')
      return { text: '/dev/fd/63', live: 'process', render: chunk.render };
    if (chunk.kind === 'output') {
      live = 'output';
      text += chunk.text;
      render += `"${chunk.render}"`;
    } else if (chunk.kind === 'status') {
      live ??= 'status';
      text += `$${chunk.name}`;
      render += `"$${chunk.name}"`;
    } else if (chunk.kind === 'text') {
      text += chunk.text;
      render += quoteWord(chunk.text);
    }
  }
  return live === null ? literal(text) : { text, live, render };
}

/** Bash expands braces in the text before it looks for names: `$a{b,c}` means `$ab $ac`. */
function refuseGluedNames(word: Word): void {
  word.pieces.forEach((piece, index) => {
    if (piece.kind !== 'variable' || piece.quoted) return;
    const next = word.pieces[index + 1];
    const apart = next?.kind === 'text' && next.text.startsWith('/');
    if (!apart) throw opaque('brace-expansion', 'A variable stands next to a brace list.');
  });
}

function located(error: unknown, word: Word): unknown {
  if (error instanceof Opaque && error.span === null)
    return opaque(error.reason, error.message, word.start, word.end);
  return error;
}

/** A message that `cat` reads is a command too: a `$?` behind it would be that command's status. */
export function refuseStaleStatus(command: SimpleCommand): void {
  const pieces = piecesOf(command);
  const message = pieces.some(
    (piece) => piece.kind === 'output' || (piece.kind === 'text' && piece.cat !== undefined),
  );
  if (message && pieces.some((piece) => piece.kind === 'status'))
    throw opaque(
      'parameter-expansion',
      'It is not known which status $? is.',
      command.start,
      command.end,
    );
}
