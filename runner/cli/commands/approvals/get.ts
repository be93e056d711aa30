import { Command } from 'commander';
import { openPolicy, withoutSocket } from '../../approvals/file.ts';
import type { CommandModule } from '../../command-table.ts';
import { say, sayJson } from '../../io.ts';
import { policyLines } from '../../text/rules.ts';

/** `approvals get`: the policy and the hash that a `set` must name. Never shows the token. */
export const getCommand: CommandModule['declare'] = (io, done) =>
  new Command('get')
    .summary('show the policy and its hash')
    .description('Shows the policy and its hash. The token of the socket is left out.')
    .option('--json', '{"path", "hash", "document"} as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  interlock approvals get\n  interlock approvals get --json',
    )
    .action((options: { readonly json?: boolean }) => {
      const { path, hash, document } = openPolicy(io);
      if (options.json === true)
        sayJson(io.stdout, { path, hash, document: withoutSocket(document) });
      else
        for (const line of [`file       ${path}`, `hash       ${hash}`, ...policyLines(document)])
          say(io.stdout, line);
      done(0);
    });
