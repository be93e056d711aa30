import { Command } from 'commander';
import { openPolicy, withoutSocket } from '../../approvals/file.ts';
import type { CommandModule } from '../../command-table.ts';
import { sayJson } from '../../io.ts';

/** `approvals export`: the policy as a file to pass on, without socket and token. */
export const exportCommand: CommandModule['declare'] = (io, done) =>
  new Command('export')
    .summary('print the policy without its secrets')
    .description(
      'Prints the policy as JSON, without the socket and its token, to be kept or passed on.',
    )
    .addHelpText('after', '\nExample:\n  interlock approvals export > team.json')
    .action(() => {
      sayJson(io.stdout, withoutSocket(openPolicy(io).document));
      done(0);
    });
