import { Command } from 'commander';
import { openAgents } from '../../agents/open.ts';
import type { CommandModule } from '../../command-table.ts';
import { say } from '../../io.ts';
import { requireNoAgentsCommand } from '../../presence/person-here.ts';

/** `agents rm`: the agent and its key are gone; its rules in the policy stay. */
export const removeCommand: CommandModule['declare'] = (io, done) =>
  new Command('rm')
    .summary('remove an agent and its key')
    .description(
      'Removes an agent and its key. Its rules stay in the policy. Its name can then be claimed again, as far as config.json believes claims.',
    )
    .argument('<name>', 'which agent')
    .action(async (agent: string) => {
      const { paths, principals } = await openAgents(io);
      requireNoAgentsCommand(paths);
      await principals.remove(agent);
      say(io.stdout, `The agent "${agent}" and its key are gone.`);
      done(0);
    });
