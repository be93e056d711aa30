import { Command } from 'commander';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { HomePaths } from '../../../shared/home/index.ts';
import { runnerClient } from '../../../shared/ipc/index.ts';
import { openAgents, requireUnlocked, restoredSentence, storeSentence } from '../agent-keys.ts';
import { deliver, targetOf } from '../deliver.ts';
import type { DeliverOptions } from '../deliver.ts';
import { CliError } from '../failure.ts';
import type { CommandModule } from '../command-table.ts';
import { say, sayJson } from '../io.ts';
import type { Io } from '../io.ts';
import { requireNoAgentsCommand } from '../presence.ts';

/** Long enough for a runner that is there, short enough for a list. */
const timeoutMs = 1_000;

/**
 * When each agent last asked for something, by the runner's history, in milliseconds since the
 * epoch. Null where it never did or no runner answers.
 */
async function lastUses(
  names: readonly string[],
  { runnerSocket }: Pick<HomePaths, 'runnerSocket'>,
): Promise<ReadonlyMap<string, number | null>> {
  const client = runnerClient({ socketPath: runnerSocket, timeoutMs });
  const one = async (agent: string): Promise<readonly [string, number | null]> => {
    try {
      const { entries } = await client.history({ agent, offset: 0, limit: 1 });
      return [agent, entries[0]?.at ?? null];
    } catch {
      return [agent, null];
    }
  };
  return new Map(await Promise.all(names.map(one)));
}

const words = {
  add: {
    summary: 'add an agent and make its key',
    description: 'Makes an agent with a key of its own. From then on its requests must be signed.',
  },
  rekey: {
    summary: 'give an agent a new key',
    description: 'Issues a new key. The old one is worthless at once.',
  },
} as const;

interface IssueOptions extends DeliverOptions {
  readonly json?: boolean;
  readonly all?: true;
}

/** `agents add` and `agents rekey`: both issue a key and say where it is, never what it is. */
function issueCommand(
  name: 'add' | 'rekey',
  io: Io,
  done: Parameters<CommandModule['declare']>[1],
): Command {
  const command = new Command(name)
    .summary(words[name].summary)
    .description(words[name].description)
    .argument(name === 'rekey' ? '[name]' : '<name>', '1 to 40 of a-z, 0-9 and hyphens')
    .option('--json', '{"name", "keyFile", "store", "delivered"} as JSON');
  command
    .option('--deliver <home>', 'also puts the key into the home of a sandbox (0600)')
    .option('--mounted-at <folder>', 'with --deliver: where the sandbox sees the shared folder');
  if (name === 'rekey')
    command.option('--all', 'every agent whose key was taken away, as in a lockout');
  return command.action(async (agent: string | undefined, options: IssueOptions) => {
    const { home, principals, store } = await openAgents(io);
    requireNoAgentsCommand(home);
    requireUnlocked(home);
    if ((agent === undefined) !== (options.all === true))
      throw new CliError('Name one agent, or say --all.', 'See "interlock agents list".');
    const target = await targetOf(options, home);
    if (agent === undefined) {
      const names = await principals.restoreAll();
      if (options.json === true) sayJson(io.stdout, { names, store });
      else say(io.stdout, restoredSentence(names));
      done(0);
      return;
    }
    const issued = await principals[name](agent);
    const delivered = target === null ? null : await deliver(issued, target);
    if (options.json === true) sayJson(io.stdout, { ...issued, store, delivered });
    else {
      say(io.stdout, `The agent "${issued.name}" has a new key in ${issued.keyFile}`);
      say(io.stdout, storeSentence(store, home));
      say(
        io.stdout,
        delivered === null
          ? `Try it: interlock run --agent ${issued.name} -- true`
          : `The sandbox has it in ${delivered}`,
      );
    }
    done(0);
  });
}

interface ListedAgent {
  readonly name: string;
  /** `lost`: the agent's own file is gone, and only the runner has the key. */
  readonly key: 'ready' | 'revoked' | 'lost';
  readonly keyFile: string;
  readonly createdAt: number;
  readonly keyedAt: number | null;
  readonly lastUsedAt: number | null;
}

const states = {
  ready: 'has a key',
  revoked: 'key taken away',
  lost: 'key file missing',
} as const;

/** `agents list`: the state of each agent's key; never a key. */
const listCommand: CommandModule['declare'] = (io, done) =>
  new Command('list')
    .summary('list the agents and the state of their keys')
    .option('--json', 'the agents as JSON')
    .action(async (options: { readonly json?: boolean }) => {
      const { home, principals, store } = await openAgents(io);
      const known = principals.list();
      const uses = await lastUses(
        known.map(({ name }) => name),
        home,
      );
      const agents = known.map(({ name, createdAt, keyedAt }): ListedAgent => {
        const keyFile = join(home.agentKeysDirectory, `${name}.key`);
        const key = keyedAt === null ? 'revoked' : existsSync(keyFile) ? 'ready' : 'lost';
        return { name, key, keyFile, createdAt, keyedAt, lastUsedAt: uses.get(name) ?? null };
      });
      if (options.json === true) sayJson(io.stdout, { store, agents });
      else {
        if (agents.length === 0)
          say(io.stdout, 'No agent has a key of its own. Make one: interlock agents add NAME');
        for (const line of agents.flatMap(linesOf)) say(io.stdout, line);
        say(io.stdout, storeSentence(store, home));
      }
      done(0);
    });

function linesOf(agent: ListedAgent): readonly string[] {
  const { name, key, createdAt, keyedAt, lastUsedAt } = agent;
  return [
    `${name.padEnd(20)}  ${states[key]}`,
    `  created ${timeOf(createdAt)}, ` +
      `keyed ${keyedAt === null ? 'never since' : timeOf(keyedAt)}, ` +
      `last seen ${lastUsedAt === null ? 'not known' : timeOf(lastUsedAt)}`,
    ...(key === 'ready' ? [] : [`  give it a new key: interlock agents rekey ${name}`]),
  ];
}

function timeOf(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace('T', ' ');
}

/** `agents rm`: the agent and its key are gone; its rules in the policy stay. */
const removeCommand: CommandModule['declare'] = (io, done) =>
  new Command('rm')
    .summary('remove an agent and its key')
    .description(
      'Removes an agent and its key. Its rules stay in the policy. Its name can then be claimed again, as far as config.json believes claims.',
    )
    .argument('<name>', 'which agent')
    .action(async (agent: string) => {
      const { home, principals } = await openAgents(io);
      requireNoAgentsCommand(home);
      await principals.remove(agent);
      say(io.stdout, `The agent "${agent}" and its key are gone.`);
      done(0);
    });

/** `interlock agents`: who may sign requests. */
export const declare: CommandModule['declare'] = (io, done) => {
  const command = new Command('agents')
    .description(
      'An agent with a key signs its requests, so that nobody else can speak in its name. Works with the runner running or stopped.',
    )
    .addHelpText(
      'after',
      `
Examples:
  interlock agents add claude
  interlock agents list
  interlock agents rekey claude
  interlock agents add box --deliver /var/boxes/box/home --mounted-at /work
  interlock agents rekey --all`,
    );
  command.addCommand(listCommand(io, done));
  command.addCommand(issueCommand('add', io, done));
  command.addCommand(issueCommand('rekey', io, done));
  command.addCommand(removeCommand(io, done));
  return command;
};
