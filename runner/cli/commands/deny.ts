import { Command } from 'commander';
import { openHome } from '../../../shared/home/index.ts';
import { runnerClient } from '../../../shared/ipc/index.ts';
import { findAsk, neverOf } from '../answer.ts';
import { requirePerson } from '../presence.ts';
import { sendAnswer } from '../answer.ts';
import type { CommandModule } from '../command-table.ts';
import { say } from '../io.ts';
import { oneLine } from '../text.ts';

interface DenyOptions {
  readonly always?: boolean;
  readonly note?: string;
}

/** `interlock deny ID`: a person at a terminal says no. No needs no second question. */
export const declare: CommandModule['declare'] = (io, done) =>
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
