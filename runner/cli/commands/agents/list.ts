import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { lastUses } from '../../agents/last-used.ts';
import { openAgents, storeSentence } from '../../agents/open.ts';
import type { CommandModule } from '../../command-table.ts';
import { say, sayJson } from '../../io.ts';

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
export const listCommand: CommandModule['declare'] = (io, done) =>
  new Command('list')
    .summary('the agents and the state of their keys')
    .option('--json', 'the agents as JSON')
    .action(async (options: { readonly json?: boolean }) => {
      const { paths, principals, store } = await openAgents(io);
      const known = principals.list();
      const uses = await lastUses(
        known.map(({ name }) => name),
        paths,
      );
      const agents = known.map(({ name, createdAt, keyedAt }): ListedAgent => {
        const keyFile = join(paths.agentKeysDirectory, `${name}.key`);
        const key = keyedAt === null ? 'revoked' : existsSync(keyFile) ? 'ready' : 'lost';
        return { name, key, keyFile, createdAt, keyedAt, lastUsedAt: uses.get(name) ?? null };
      });
      if (options.json === true) sayJson(io.stdout, { store, agents });
      else {
        if (agents.length === 0)
          say(io.stdout, 'No agent has a key of its own. Make one: interlock agents add NAME');
        for (const line of agents.flatMap(linesOf)) say(io.stdout, line);
        say(io.stdout, storeSentence(store, paths));
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
