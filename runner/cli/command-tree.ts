import type { Argument, Command, Option } from 'commander';

/** One option of a command as it is written. */
export interface OptionNode {
  /** `--agent`, `-c`; the long one first. */
  readonly names: readonly string[];
  /** As the help shows it: `--agent <name>`. */
  readonly flags: string;
  readonly takesValue: boolean;
  /** The words it takes; null for any. */
  readonly choices: readonly string[] | null;
  readonly description: string;
}

interface ArgumentNode {
  /** As a synopsis shows it: `<pattern>`, `[args...]`. */
  readonly written: string;
  readonly choices: readonly string[] | null;
  readonly description: string;
}

/** A command and those below it, as plain data: what completion and the manual page are made from. */
export interface CommandNode {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  readonly arguments: readonly ArgumentNode[];
  readonly options: readonly OptionNode[];
  readonly commands: readonly CommandNode[];
}

const help: OptionNode = {
  names: ['--help', '-h'],
  flags: '-h, --help',
  takesValue: false,
  choices: null,
  description: 'show this help',
};

/** The tree below a command of commander's; hidden options are left out. */
export function nodeOf(command: Command): CommandNode {
  const shown = command.options.filter(({ hidden }) => !hidden);
  return {
    name: command.name(),
    summary: command.summary() || command.description(),
    description: command.description() || command.summary(),
    arguments: command.registeredArguments.map(argumentNode),
    options: [...shown.map(optionNode), help],
    commands: command.commands.map(nodeOf),
  };
}

function optionNode({
  long,
  short,
  flags,
  required,
  optional,
  argChoices,
  description,
}: Option): OptionNode {
  return {
    names: [long, short].filter((name) => name !== undefined && name !== null),
    flags,
    takesValue: required || optional,
    choices: argChoices ?? null,
    description,
  };
}

function argumentNode(argument: Argument): ArgumentNode {
  const { required, variadic, argChoices, description } = argument;
  const name = `${argument.name()}${variadic ? '...' : ''}`;
  return {
    written: required ? `<${name}>` : `[${name}]`,
    choices: argChoices ?? null,
    description,
  };
}

/** A command with the words that lead to it, without the program's own name. */
export interface PlacedCommand {
  readonly path: readonly string[];
  readonly node: CommandNode;
}

/** Every command of a tree, the root first. */
export function everyCommand(
  node: CommandNode,
  path: readonly string[] = [],
): readonly PlacedCommand[] {
  return [
    { path, node },
    ...node.commands.flatMap((child) => everyCommand(child, [...path, child.name])),
  ];
}
