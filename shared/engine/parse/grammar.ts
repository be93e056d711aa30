import { readCommand } from './read.ts';
import { listsOf, opaque, ownPieces } from './syntax.ts';
import type { Command, CommandList, Pipeline } from './syntax.ts';

/** The part of a tree-sitter node that the analysis reads. */
export interface GrammarNode {
  readonly type: string;
  readonly startIndex: number;
  readonly endIndex: number;
  readonly hasError: boolean;
  readonly namedChildren: readonly GrammarNode[];
  readonly parent: GrammarNode | null;
  descendantsOfType(types: string | string[]): readonly GrammarNode[];
}

/** A parse tree; `delete` must be called once it is no longer needed. */
interface GrammarTree {
  readonly rootNode: GrammarNode;
  delete(): void;
}

/** A parser of shell text with the bash grammar; offsets are UTF-16. */
export interface GrammarParser {
  parse(text: string): GrammarTree | null;
}

/** At most this many commands in one text; more would only cost time. */
const mostCommands = 256;

/**
 * Holds our reading against a second one by the bash grammar: both must find commands at the same
 * places, and the grammar must find no error. Two readers that were written apart rarely share a
 * mistake; where they differ the command is opaque. Text of plain words needs no second reading.
 */
export function confirmReading(parser: GrammarParser, text: string, list: CommandList): void {
  const ours = startsOf(list);
  if (ours.size > mostCommands)
    throw opaque('too-long', `The command runs more than ${mostCommands} programs.`);
  if (!isPlainText(text)) confirmByGrammar(parser, text, ours);
}

/**
 * The grammar does not know output that is redirected behind the mark of a heredoc (`<<X 2>&1 |`).
 * In which order the two stand says nothing, since they are of other descriptors, so it may read
 * them the other way round. Nothing moves by it but the redirections.
 */
function withHeredocLast(text: string): string {
  return text.replaceAll(
    /(<<-?[ \t]*(?:'\w+'|"\w+"|\w+))((?:[ \t]+(?:[12]?>&[12]|[12]?>>?[ \t]*[\w./-]+))+)/g,
    (_, mark: string, output: string) => `${output.trimStart()} ${mark}`,
  );
}

/** Where the programs of a list begin in its text. */
export function startsOf(list: CommandList): ReadonlySet<number> {
  const starts = new Set<number>();
  collectList(list, starts);
  return starts;
}

function collectList(list: CommandList, starts: Set<number>): void {
  for (const item of list) collectPipeline(item.pipeline, starts);
}

/**
 * Words of letters, digits and marks that mean nothing to a shell, with one blank between them, in
 * quotes any printable ASCII that they make literal; output to a file of such a name; and pipes,
 * `&&`, `||` and `;` between commands. The two readers cannot differ about these; a test holds them
 * to it.
 */
const plainText = (() => {
  const reserved =
    'if|then|else|elif|fi|do|done|case|esac|while|until|for|select|function|time|coproc|in|declare|typeset|export|readonly|local|unset|unsetenv|test';
  const name = String.raw`(?!(?:${reserved})(?![\w.\/+-]))[A-Za-z_.\/][\w.\/+-]*`;
  const bare = String.raw`[\w.\/:,+@%-][\w.\/:,+@%=-]*`;
  const quoted = String.raw`'[ !-&(-~]*'|"[ #%-\[\]^_a-~]*"`;
  const output = String.raw`2>&1|[12]?>>? ?[A-Za-z.\/][\w.\/-]*`;
  const command = `${name}(?: (?:${bare}(?:${quoted})?|${quoted}))*(?: (?:${output}))*`;
  return new RegExp(String.raw`^${command}(?:(?:;| (?:\||&&|\|\||;)) ${command})*$`);
})();

/** Whether the grammar would say of a text that we understand what we say. */
export function isPlainText(text: string): boolean {
  return text.length <= 1024 && plainText.test(text);
}

/** Throws where the grammar finds an error, or commands at other places. */
export function confirmByGrammar(
  parser: GrammarParser,
  text: string,
  ours: ReadonlySet<number>,
): void {
  const tree = parser.parse(text);
  if (tree === null) throw opaque('syntax-error', 'The command could not be read.');
  try {
    const { rootNode } = tree;
    const swapped = rootNode.hasError ? withHeredocLast(text) : text;
    if (swapped !== text) return confirmSwapped(parser, swapped, ours);
    if (rootNode.hasError)
      throw opaque('syntax-error', 'The grammar of bash finds an error in the command.');
    const theirs = rootNode.descendantsOfType([
      'command_name',
      'test_command',
      'declaration_command',
      'unset_command',
    ]);
    const places = new Set(theirs.map((node) => node.startIndex));
    if (places.size !== ours.size || [...places].some((place) => !ours.has(place)))
      throw opaque(
        'unsupported-syntax',
        'Two readers of the command disagree where commands begin.',
      );
  } finally {
    tree.delete();
  }
}

/** Both readers find commands where ours found them before, also in the text as it was swapped. */
function confirmSwapped(parser: GrammarParser, text: string, ours: ReadonlySet<number>): void {
  const again = startsOf(readCommand(text));
  if (again.size !== ours.size || [...again].some((place) => !ours.has(place)))
    throw opaque('syntax-error', 'The grammar of bash finds an error in the command.');
  confirmByGrammar(parser, text, ours);
}

function collectPipeline({ commands, timed, start }: Pipeline, starts: Set<number>): void {
  commands.forEach((command, index) => {
    // The grammar takes the keyword `time` for a program.
    if (index === 0 && timed !== null && command.kind === 'simple') starts.add(start);
    else collect(command, starts);
  });
}

function collect(command: Command, starts: Set<number>): void {
  if (command.kind === 'simple') {
    const [name] = command.words;
    if (name !== undefined) starts.add(name.start);
  }
  for (const piece of ownPieces(command)) {
    if (piece.kind === 'text' && piece.cat !== undefined) starts.add(piece.cat);
    if (piece.kind === 'output' || piece.kind === 'process') collectList(piece.list, starts);
  }
  if (command.kind !== 'simple') for (const list of listsOf(command)) collectList(list, starts);
}
