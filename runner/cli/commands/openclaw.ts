import { Command } from 'commander';
import type { CommandModule } from '../command-table.ts';
import { connectCommand } from './openclaw/connect.ts';
import { policyCommand } from './openclaw/policy.ts';

/** `interlock openclaw`: OpenClaw's asks in Interlock's queue, and its policy. */
export const declare: CommandModule['declare'] = (io, done) => {
  const command = new Command('openclaw')
    .enablePositionalOptions()
    .summary("answer OpenClaw's asks here")
    .description(
      "Joins OpenClaw's Gateway as an approver: its asks pass Interlock's gate, and a person answers them in Interlock.",
    )
    .addHelpText(
      'after',
      `
Examples:
  interlock openclaw connect --token-file ~/.config/openclaw.token
  interlock openclaw policy get --token-file ~/.config/openclaw.token`,
    );
  command.addCommand(connectCommand(io, done));
  command.addCommand(policyCommand(io, done));
  return command;
};
