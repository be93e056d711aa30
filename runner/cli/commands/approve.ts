import { Command, Option } from 'commander';
import { grantDurations, holdsFor, proposalScopes } from '../../../shared/engine/index.ts';
import type { Ask } from '../../../shared/engine/index.ts';
import { openHome } from '../../../shared/home/index.ts';
import { runnerClient } from '../../../shared/ipc/index.ts';
import { findAsk } from '../answer.ts';
import { confirm, requirePerson } from '../presence.ts';
import { rememberOf } from '../answer.ts';
import type { RememberOptions } from '../answer.ts';
import { sendAnswer } from '../answer.ts';
import type { CommandModule } from '../command-table.ts';
import { exitCodes } from '../io.ts';
import { say } from '../io.ts';
import { askLines } from '../text.ts';

/** `interlock approve ID`: a person at a terminal says yes. */
export const declare: CommandModule['declare'] = (io, done) =>
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
          `\n  Remembered (${remember.duration}): ${proposal.sentence} ${holdsFor(ask.agent, remember.everyAgent === true)}`,
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
