import { Command } from 'commander';
import type { CommandModule } from '../command-table.ts';
import { exportCommand } from './approvals/export.ts';
import { getCommand } from './approvals/get.ts';
import { importCommand } from './approvals/import.ts';
import { removeCommand } from './approvals/remove.ts';
import { ruleCommand } from './approvals/rule.ts';
import { setCommand } from './approvals/set.ts';
import { testCommand } from './approvals/test.ts';

/** `interlock approvals`: the policy file, read and edited. */
export const declare: CommandModule['declare'] = (io, done) => {
  const command = new Command('approvals')
    .enablePositionalOptions()
    .summary('read and edit the policy')
    .description(
      'Reads and edits the policy file. Two writers at once do not overwrite each other: an edit is refused when the file has changed since it was read.',
    )
    .addHelpText(
      'after',
      `
Examples:
  interlock approvals get
  interlock approvals allow --agent claude -- git status ...
  interlock approvals deny -- rm -rf ...
  interlock approvals test`,
    );
  for (const declareChild of [
    getCommand,
    setCommand,
    removeCommand,
    importCommand,
    exportCommand,
    testCommand,
  ])
    command.addCommand(declareChild(io, done));
  command.addCommand(ruleCommand('allow', io, done));
  command.addCommand(ruleCommand('deny', io, done));
  return command;
};
