import { opaque, piecesOf } from './syntax.ts';
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
export interface GrammarTree {
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
 * mistake; where they differ the command is opaque.
 */
export function confirmReading(parser: GrammarParser, text: string, list: CommandList): void {
  const ours = new Set<number>();
  for (const item of list) collectPipeline(item.pipeline, ours);
  if (ours.size > mostCommands)
    throw opaque('too-long', `The command runs more than ${mostCommands} programs.`);
  const tree = parser.parse(text);
  if (tree === null) throw opaque('syntax-error', 'The command could not be read.');
  try {
    const { rootNode } = tree;
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
    for (const piece of piecesOf(command))
      if (piece.kind === 'text' && piece.cat !== undefined) starts.add(piece.cat);
    return;
  }
  for (const item of command.body) collectPipeline(item.pipeline, starts);
}
