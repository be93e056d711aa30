import { Command } from 'commander';
import { openAgents, requireUnlocked, storeSentence } from '../../agents/open.ts';
import type { CommandModule } from '../../command-table.ts';
import { say, sayJson } from '../../io.ts';
import type { Io } from '../../io.ts';
import { requireNoAgentsCommand } from '../../presence/person-here.ts';

const words = {
  add: {
    summary: 'make an agent and its key',
    description: 'Makes an agent with a key of its own. From then on its requests must be signed.',
  },
  rekey: {
    summary: 'give an agent a new key',
    description: 'Issues a new key. The old one is worthless at once.',
  },
} as const;

/** `agents add` and `agents rekey`: both issue a key and say where it is, never what it is. */
export function issueCommand(
  name: 'add' | 'rekey',
  io: Io,
  done: Parameters<CommandModule['declare']>[1],
): Command {
  return new Command(name)
    .summary(words[name].summary)
    .description(words[name].description)
    .argument('<name>', '1 to 40 of a-z, 0-9 and hyphens')
    .option('--json', '{"name", "keyFile", "store"} as JSON')
    .action(async (agent: string, options: { readonly json?: boolean }) => {
      const { paths, principals, store } = await openAgents(io);
      requireNoAgentsCommand(paths);
      requireUnlocked(paths);
      const issued = await principals[name](agent);
      if (options.json === true) sayJson(io.stdout, { ...issued, store });
      else {
        say(io.stdout, `The agent "${issued.name}" has a new key in ${issued.keyFile}`);
        say(io.stdout, storeSentence(store, paths));
        say(io.stdout, `Try it: interlock run --agent ${issued.name} -- true`);
      }
      done(0);
    });
}
