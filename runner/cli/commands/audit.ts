import { Command } from 'commander';
import type { CommandModule } from '../command-table.ts';
import { archiveCommand } from './audit/archive.ts';
import { exportCommand } from './audit/export.ts';
import { searchCommand } from './audit/search.ts';
import { tailCommand } from './audit/tail.ts';
import { verifyCommand } from './audit/verify.ts';

/** `interlock audit`: the record, read and checked. */
export const declare: CommandModule['declare'] = (io, done) => {
  const command = new Command('audit')
    .enablePositionalOptions()
    .summary('read and check the record')
    .description(
      'Reads and checks the record of what was decided and what ran. Works with the runner running or stopped. Times are UTC.',
    )
    .addHelpText(
      'after',
      `
Examples:
  interlock audit tail -f
  interlock audit search git push --since 7d
  interlock audit export --format csv > audit.csv
  interlock audit verify`,
    );
  for (const declareChild of [
    tailCommand,
    searchCommand,
    exportCommand,
    verifyCommand,
    archiveCommand,
  ])
    command.addCommand(declareChild(io, done));
  return command;
};
