import { Command } from 'commander';
import { openHome } from '../../../shared/home/index.ts';
import type { CommandModule } from '../command-table.ts';
import { CliError } from '../failure.ts';
import { approverProgram } from '../up/programs.ts';
import type { ShellName } from '../up/programs.ts';
import { runChild } from '../up/child.ts';

type UiOptions = Readonly<Partial<Record<ShellName, boolean>>>;

/** `interlock ui`: an approver alone, in the foreground. */
export const declare: CommandModule['declare'] = (io, done) =>
  new Command('ui')
    .description(
      'Starts an approver alone: the menu bar app where it can start, else the browser console. One that runs already comes to the front, or prints its link again.',
    )
    .option('--console', 'the browser console')
    .option('--electron', 'the menu bar app')
    .option('--terminal', 'in this terminal')
    .addHelpText('after', '\nExamples:\n  interlock ui\n  interlock ui --terminal')
    .action(async (options: UiOptions) => {
      const asked = (['console', 'electron', 'terminal'] as const).filter(
        (shell) => options[shell] === true,
      );
      if (asked.length > 1)
        throw new CliError(
          'Only one approver can be chosen.',
          `Leave one of --${asked.join(', --')} away.`,
        );
      const { shell, program } = approverProgram(asked[0] ?? null, {
        io,
        home: openHome(io.env),
      });
      done(await runChild(program, io, { readsTerminal: shell === 'terminal' }));
    });
