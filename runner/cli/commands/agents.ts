import { Command } from 'commander';
import type { CommandModule } from '../command-table.ts';
import { issueCommand } from './agents/issue.ts';
import { listCommand } from './agents/list.ts';
import { removeCommand } from './agents/remove.ts';

/** `interlock agents`: who may sign requests. */
export const declare: CommandModule['declare'] = (io, done) => {
  const command = new Command('agents')
    .summary('agents with keys of their own')
    .description(
      'An agent with a key signs its requests, so that nobody else can speak in its name. Works with the runner running or stopped.',
    )
    .addHelpText(
      'after',
      `
Examples:
  interlock agents add claude
  interlock agents list
  interlock agents rekey claude`,
    );
  command.addCommand(listCommand(io, done));
  command.addCommand(issueCommand('add', io, done));
  command.addCommand(issueCommand('rekey', io, done));
  command.addCommand(removeCommand(io, done));
  return command;
};
