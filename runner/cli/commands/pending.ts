import { Command } from 'commander';
import { displayPlain } from '../../../shared/base/index.ts';
import { clientSocket, homePaths } from '../../../shared/home/index.ts';
import { runnerClient } from '../../../shared/ipc/index.ts';
import type { ConsideredAsk } from '../../../shared/wire/index.ts';
import type { CommandModule } from '../command-table.ts';
import { say, sayJson } from '../io.ts';
import { askLines } from '../text.ts';

/** An ask that an advisor looks at: nobody can answer it yet. */
function consideredLines(
  { agent, cwd, command, by, since, until }: ConsideredAsk,
  now: number,
): readonly string[] {
  const seconds = (ms: number): string => String(Math.max(0, Math.round(ms / 1_000)));
  return [
    `${displayPlain(agent)} in ${displayPlain(cwd)}`,
    ...displayPlain(command)
      .split('\n')
      .map((line) => `  ${line}`),
    `  The advisor "${displayPlain(by)}" has been looking at it for ${seconds(now - since)} s, of ${seconds(until - since)} at most. It cannot be answered yet.\n`,
  ];
}

/** `interlock pending`: every ask that waits for a person, whole. */
export const declare: CommandModule['declare'] = (io, done) =>
  new Command('pending')
    .description('Lists what waits for a person, oldest first, each ask whole.')
    .option('--json', 'the asks as JSON')
    .addHelpText('after', '\nExamples:\n  interlock pending\n  interlock pending --json')
    .action(async (options: { readonly json?: boolean }) => {
      const socketPath = clientSocket(io.env, homePaths(io.env));
      const client = runnerClient({ socketPath });
      const pending = await client.pending();
      const considered = await client.considered();
      if (options.json === true) sayJson(io.stdout, pending);
      else {
        if (pending.length === 0 && considered.length === 0) say(io.stdout, 'Nothing waits.');
        for (const { ask } of pending) {
          for (const line of askLines(ask, io.now())) say(io.stdout, line);
          say(io.stdout, `  interlock approve ${ask.id}   |   interlock deny ${ask.id}\n`);
        }
        for (const one of considered)
          for (const line of consideredLines(one, io.now())) say(io.stdout, line);
      }
      done(0);
    });
