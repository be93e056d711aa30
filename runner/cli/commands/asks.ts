import { Command, Option } from 'commander';
import {
  agentWords,
  grantDurations,
  holdsFor,
  proposalScopes,
} from '../../../shared/engine/index.ts';
import type { Ask } from '../../../shared/engine/index.ts';
import { openHome, clientSocket, homePaths } from '../../../shared/home/index.ts';
import { runnerClient } from '../../../shared/ipc/index.ts';
import { findAsk, rememberOf, sendAnswer, neverOf } from '../answer.ts';
import { confirm, requirePerson } from '../presence.ts';
import type { RememberOptions } from '../answer.ts';
import type { CommandModule } from '../command-table.ts';
import { exitCodes, say, sayJson } from '../io.ts';
import { askLines, oneLine } from '../text.ts';
import { displayPlain } from '../../../shared/base/index.ts';
import type { ConsideredAsk } from '../../../shared/wire/index.ts';

/** `interlock approve ID`: a person at a terminal says yes. */
export const approveCommand: CommandModule['declare'] = (io, done) =>
  new Command('approve')
    .description(
      'Shows an ask that waits and allows it once you type "y" or "yes"; where the risk is high, "yes" in full.',
    )
    .argument('<id>', 'id of the ask, or its beginning')
    .addOption(
      new Option(
        '--always [scope]',
        'make a rule: this exact command, subcommand or program; exact when not said',
      )
        .choices(proposalScopes)
        .preset('exact'),
    )
    .addOption(new Option('--for <duration>', 'how long the yes holds').choices(grantDurations))
    .option('--every-agent', 'the rule is for every agent, not only for the one that asks')
    .addHelpText(
      'after',
      `
Examples:
  interlock approve 7f3a                      allow it this once
  interlock approve 7f3a --for session        the same command, for this session
  interlock approve 7f3a --always             a rule for exactly this command
  interlock approve 7f3a --always subcommand  write a rule into the policy
  interlock approve 7f3a --always exact --every-agent   the same, for every agent

Works only at a terminal, with a person at it.`,
    )
    .action(async (id: string, options: RememberOptions) => {
      requirePerson(io);
      const home = openHome(io.env);
      const client = runnerClient({ socketPath: home.clientSocket() });
      const pending = await findAsk(client, id);
      const { ask } = pending;
      const remember = rememberOf(ask, options);
      for (const line of askLines(ask, io.now())) say(io.stdout, line);
      const proposal = ask.proposals.find((candidate) => candidate.id === remember?.proposalId);
      if (remember !== null && proposal !== undefined)
        say(
          io.stdout,
          `\n  Remembered (${remember.duration}): ${proposal.sentence} ${holdsFor(ask.agent, remember.duration, remember.everyAgent === true)}`,
        );
      const words = confirmationsOf(ask);
      if (!(await confirm(io, `\nAllow it? Type ${words.join(' or ')} to allow: `, words))) {
        say(io.stdout, 'Not allowed; the ask still waits. "interlock deny" refuses it.');
        done(exitCodes.failed);
        return;
      }
      await sendAnswer(
        pending,
        remember === null ? { decision: 'allow-once' } : { decision: 'allow-always', remember },
        { client, home, io },
      );
      say(io.stdout, remember === null ? 'Allowed once.' : 'Allowed, and remembered.');
      done(exitCodes.ok);
    });

/** High risk takes a whole word, so that no single slip of a finger allows it. */
function confirmationsOf(ask: Ask): readonly string[] {
  return ask.risk.level === 'high' ? ['yes'] : ['y', 'yes'];
}

interface DenyOptions {
  readonly always?: boolean;
  readonly note?: string;
}

/** `interlock deny ID`: a person at a terminal says no. No needs no second question. */
export const denyCommand: CommandModule['declare'] = (io, done) =>
  new Command('deny')
    .description('Refuses an ask that waits.')
    .argument('<id>', 'id of the ask, or its beginning')
    .option('--always', 'also make a rule of it, where the ask offers one: for hosts')
    .option('--note <words>', 'what the agent is told, such as what to do instead')
    .addHelpText(
      'after',
      "\nExamples:\n  interlock deny 7f3a --note 'use the staging database'\n  interlock deny 7f3a --always    never this host\n\nWorks only at a terminal, with a person at it.",
    )
    .action(async (id: string, options: DenyOptions) => {
      requirePerson(io);
      const home = openHome(io.env);
      const client = runnerClient({ socketPath: home.clientSocket() });
      const pending = await findAsk(client, id);
      const note = options.note === undefined ? {} : { note: options.note };
      const remember = options.always === true ? { remember: neverOf(pending.ask) } : {};
      await sendAnswer(pending, { decision: 'deny', ...remember, ...note }, { client, home, io });
      const said = options.always === true ? 'Denied, and remembered' : 'Denied';
      say(io.stdout, `${said}: ${oneLine(pending.ask.command)}`);
      done(0);
    });

/** An ask that an advisor looks at: nobody can answer it yet. */
function consideredLines(
  { agent, cwd, command, by, since, until }: ConsideredAsk,
  now: number,
): readonly string[] {
  const seconds = (ms: number): string => String(Math.max(0, Math.round(ms / 1_000)));
  return [
    `${displayPlain(agentWords(agent))} in ${displayPlain(cwd)}`,
    ...displayPlain(command)
      .split('\n')
      .map((line) => `  ${line}`),
    `  The advisor "${displayPlain(by)}" has been looking at it for ${seconds(now - since)} s, of ${seconds(until - since)} at most. It cannot be answered yet.\n`,
  ];
}

/** `interlock pending`: every ask that waits for a person, whole. */
export const pendingCommand: CommandModule['declare'] = (io, done) =>
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
