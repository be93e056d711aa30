import { Command } from 'commander';
import { openPolicy, savePolicy } from '../../approvals/file.ts';
import type { CommandModule } from '../../command-table.ts';
import { say } from '../../io.ts';
import { removeRule } from '../../../../shared/policy/edit.ts';

/** `approvals rm ID`: takes one rule out. */
export const removeCommand: CommandModule['declare'] = (io, done) =>
  new Command('rm')
    .summary('remove a rule')
    .description('Removes the rule with this id. "approvals get" shows the ids.')
    .argument('<id>', 'id of the rule')
    .option('--agent <name>', 'only where it belongs to this agent')
    .addHelpText(
      'after',
      '\nExample:\n  interlock approvals rm 1facc7bd-ed96-40ee-9a6b-12df4e9e21ec',
    )
    .action(async (id: string, options: { readonly agent?: string }) => {
      const policy = openPolicy(io);
      await savePolicy(removeRule(policy.document, { id, ...options }), policy);
      say(io.stdout, `Removed ${id}.`);
      done(0);
    });
