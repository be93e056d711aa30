import { Command } from 'commander';
import { resolve } from 'node:path';
import { openHome } from '../../../shared/home/index.ts';
import type { CommandModule } from '../command-table.ts';
import { CliError } from '../failure.ts';
import { approverProgram } from '../up/programs.ts';
import type { ShellName } from '../up/programs.ts';
import { runChild } from '../up/child.ts';

type UiOptions = Readonly<Partial<Record<ShellName, boolean>>> & {
  readonly listen?: string;
  readonly address?: readonly string[];
  readonly cert?: string;
  readonly key?: string;
};

/** What the console is told about devices; a file is in one word with its option. */
function listenArguments({ listen, address = [], cert, key }: UiOptions): readonly string[] {
  const file = (name: string, path: string | undefined): readonly string[] =>
    path === undefined ? [] : [`--${name}=${resolve(path)}`];
  if (listen !== undefined)
    return [
      `--listen=${listen}`,
      ...address.map((one) => `--address=${one}`),
      ...file('cert', cert),
      ...file('key', key),
    ];
  if (address.length === 0 && cert === undefined && key === undefined) return [];
  throw new CliError(
    '--address, --cert and --key go with --listen.',
    'Name the host: --listen NAME',
  );
}

/** `interlock ui`: an approver alone, in the foreground. */
export const declare: CommandModule['declare'] = (io, done) =>
  new Command('ui')
    .description(
      'Starts an approver alone: the menu bar app where it can start, else the browser console. One that runs already comes to the front, or prints its link again.',
    )
    .option('--console', 'the browser console')
    .option('--electron', 'the menu bar app')
    .option('--terminal', 'in this terminal')
    .option('--listen <name>', 'with --console: serve paired devices under this name, over TLS')
    .option(
      '--address <address>',
      'listen at this address of the machine; once for each (default: where the name leads)',
      (one: string, all: readonly string[] | undefined) => [...(all ?? []), one],
    )
    .option('--cert <file>', 'certificate for the name (default: ui.phoneCertificate)')
    .option('--key <file>', 'its private key (default: ui.phoneKey)')
    .addHelpText(
      'after',
      `
Examples:
  interlock ui
  interlock ui --terminal
  interlock ui --console --listen desk.example.ts.net`,
    )
    .action(async (options: UiOptions) => {
      const asked = (['console', 'electron', 'terminal'] as const).filter(
        (shell) => options[shell] === true,
      );
      if (asked.length > 1)
        throw new CliError(
          'Only one approver can be chosen.',
          `Leave one of --${asked.join(', --')} away.`,
        );
      const listening = listenArguments(options);
      if (listening.length > 0 && options.console !== true)
        throw new CliError('Only the console serves devices.', 'Add --console.');
      const { shell, program } = approverProgram(asked[0] ?? null, {
        io,
        home: openHome(io.env),
      });
      const started = { ...program, args: [...program.args, ...listening] };
      done(await runChild(started, io, { readsTerminal: shell === 'terminal' }));
    });
