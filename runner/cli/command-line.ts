import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, CommanderError } from 'commander';
import { commandGroups, commandSummaries } from './command-table.ts';
import type { CommandModule } from './command-table.ts';
import { exitCodes } from './io.ts';
import { explain } from './failure.ts';
import { say } from './io.ts';
import type { Io } from './io.ts';

const intro =
  'The gate between AI agents and your shell. Commands that agents want to run are checked against ' +
  'a policy; a person is asked where the policy says so.';

export const epilogue = `
Examples:
  interlock up                              start the runner and an approver
  interlock run -- git status               run one command through the gate
  interlock check -c 'rm -rf build'         what would the policy say?
  interlock status                          what is running and waiting

Exit status of "interlock run": the command's own; 126 refused, 127 not found,
124 timed out, 125 a failure of Interlock itself, 128+n ended by signal n.`;

/** Reads the one command that is used. */
type LoadCommand = (name: string) => Promise<CommandModule>;

/**
 * Runs the command line `args` (without node and script). Resolves with the exit status; it never
 * rejects, and it never ends the process itself.
 */
export async function runCommandLine(
  args: readonly string[],
  io: Io,
  load: LoadCommand,
): Promise<number> {
  let exitCode: number = exitCodes.ok;
  try {
    const program = await programFor(args, io, { load, done: (code) => (exitCode = code) });
    await program.parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.failed;
    const { lines, exitCode: code } = explain(error);
    for (const line of lines) say(io.stderr, line);
    return code;
  }
}

/**
 * The whole command line with every command read, for what is made from it: completion, the manual page,
 * tests of hints. Nothing in it is run.
 */
export async function wholeProgram(io: Io, load: LoadCommand): Promise<Command> {
  const program = bareProgram(io);
  for (const [group, summaries] of Object.entries(commandGroups)) {
    program.commandsGroup(`${group}:`);
    for (const [name, summary] of Object.entries(summaries)) {
      const command = (await load(name)).declare(io, () => undefined).summary(summary);
      program.addCommand(inheriting(command, program));
    }
  }
  return program;
}

async function programFor(
  args: readonly string[],
  io: Io,
  { load, done }: { readonly load: LoadCommand; readonly done: (exitCode: number) => void },
): Promise<Command> {
  const program = bareProgram(io);
  const [first, second] = args.filter((word) => !word.startsWith('-'));
  const wanted = first === 'help' ? second : first;
  const isAlone = args[0] !== undefined && Object.hasOwn(commandSummaries, args[0]);
  for (const [group, summaries] of Object.entries(commandGroups)) {
    program.commandsGroup(`${group}:`);
    for (const [name, summary] of Object.entries(summaries)) {
      if (name === wanted) {
        const command = (await load(name)).declare(io, done).summary(summary);
        program.addCommand(inheriting(command, program));
      } else if (!isAlone) program.addCommand(new Command(name).summary(summary));
    }
  }
  // The others stand in the list by name and summary only: what they take is in files not read.
  return program.configureHelp({ subcommandTerm: (command) => command.name() });
}

function bareProgram(io: Io): Command {
  return new Command('interlock')
    .description(intro)
    .version(versionOf(io.packageRoot), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      outputError: (text, write) => {
        write(`interlock: ${text.replace(/^error: /u, '')}`);
      },
    })
    .showHelpAfterError('  "interlock --help" lists the commands; each has its own --help.')
    .addHelpText('after', epilogue);
}

/** `addCommand` does not hand settings down, so each command and its own commands copy them. */
function inheriting(command: Command, parent: Command, before = 'interlock'): Command {
  const words = `${before} ${command.name()}`;
  command
    .copyInheritedSettings(parent)
    .showHelpAfterError(`  "${words} --help" shows what it takes.`);
  for (const child of command.commands) inheriting(child, command, words);
  return command;
}

/** The version in the manifest of the package that lies there. */
export function versionOf(packageRoot: string): string {
  const manifest = readFileSync(join(packageRoot, 'package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
