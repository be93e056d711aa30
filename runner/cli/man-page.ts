import { epilogue } from './command-line.ts';
import type { CommandNode, PlacedCommand } from './command-tree.ts';
import { everyCommand } from './command-tree.ts';

/** Text as roff takes it: nothing in it is a request or an escape, hyphens stay hyphens. */
function plain(text: string): string {
  return text
    .replaceAll('\\', String.raw`\e`)
    .replaceAll('-', String.raw`\-`)
    .replaceAll('"', String.raw`\(dq`)
    .replaceAll(/^([.'])/gmu, String.raw`\&$1`);
}

function bold(text: string): string {
  return String.raw`\fB${plain(text)}\fR`;
}

/** The manual page of the whole command line, in the man macros (man(7)), made from its commands. */
export function manPage(root: CommandNode, version: string): string {
  const placed = everyCommand(root).filter(({ path }) => path.length > 0);
  const examples = epilogue.slice(epilogue.indexOf('\n  '), epilogue.indexOf('\n\nExit status'));
  return [
    `.TH INTERLOCK 1 "" "${plain(`interlock ${version}`)}" "User Commands"`,
    '.SH NAME',
    String.raw`interlock \- the gate between AI agents and your shell`,
    '.SH SYNOPSIS',
    '.nf',
    ...root.commands.map((child) => synopsisOf({ path: [child.name], node: child })),
    '.fi',
    '.SH DESCRIPTION',
    plain(root.description),
    '.PP',
    plain(
      'Every command takes --help. What a page like this cannot hold stands in the documentation.',
    ),
    '.SH COMMANDS',
    ...placed.flatMap(commandLines),
    '.SH EXIT STATUS',
    plain('That of "interlock run" is the command\'s own. Beside it:'),
    ...[
      ['124', 'it took too long'],
      ['125', 'a failure of Interlock itself'],
      ['126', 'refused'],
      ['127', 'the program was not found'],
      ['128+n', 'ended by signal n'],
    ].flatMap(([status = '', meaning = '']) => ['.TP', bold(status), plain(meaning)]),
    '.SH ENVIRONMENT',
    ...[
      [
        'INTERLOCK_HOME',
        'Where policy, record, keys and sockets are; ~/.interlock when it is not set.',
      ],
      ['INTERLOCK_SOCKET', "The socket of the runner to ask, where it is not the home's own."],
      ['INTERLOCK_KEY_FILE', 'The key to sign requests with.'],
    ].flatMap(([name = '', meaning = '']) => ['.TP', bold(name), plain(meaning)]),
    '.SH FILES',
    ...[
      ['~/.interlock/exec-approvals.json', 'The policy: who may run what.'],
      ['~/.interlock/config.json', 'Settings of the runner.'],
      ['~/.interlock/audit', 'The record.'],
    ].flatMap(([name = '', meaning = '']) => ['.TP', bold(name), plain(meaning)]),
    '.SH EXAMPLES',
    '.nf',
    plain(examples.replace(/^\n/u, '')),
    '.fi',
    '',
  ].join('\n');
}

function synopsisOf({ path, node }: PlacedCommand): string {
  const words = [
    bold(['interlock', ...path].join(' ')),
    ...(node.options.length > 1 ? [plain('[options]')] : []),
    ...(node.commands.length > 0 ? [plain('<command>')] : []),
    ...node.arguments.map(({ written }) => plain(written)),
  ];
  return words.join(' ');
}

function commandLines(placed: PlacedCommand): readonly string[] {
  const { node } = placed;
  const options = node.options.filter(({ names }) => !names.includes('--help'));
  return [
    '.SS "' + plain(['interlock', ...placed.path].join(' ')) + '"',
    synopsisOf(placed),
    '.PP',
    plain(node.description),
    ...node.arguments.flatMap(({ written, description }) => [
      '.TP',
      plain(written),
      plain(description),
    ]),
    ...options.flatMap(({ flags, choices, description }) => [
      '.TP',
      bold(flags),
      plain(choices === null ? description : `${description} (${choices.join(', ')})`),
    ]),
  ];
}
