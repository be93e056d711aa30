import { Command } from 'commander';
import { openHome } from '../../../shared/home/index.ts';
import type { CommandModule } from '../command-table.ts';
import { say, sayJson } from '../io.ts';
import { offerPassphrase } from '../presence.ts';

/** `interlock init`: makes `INTERLOCK_HOME` with a first policy, and changes nothing that is there. */
export const declare: CommandModule['declare'] = (io, done) =>
  new Command('init')
    .description(
      'Makes INTERLOCK_HOME (default: ~/.interlock) with a first policy, a token and the state files. What is there already stays as it is.',
    )
    .option('--json', 'what was made and kept, as JSON')
    .addHelpText('after', '\nExample:\n  INTERLOCK_HOME=/srv/interlock interlock init')
    .action(async (options: { readonly json?: boolean }) => {
      const home = openHome(io.env);
      const made = await home.init(io.now);
      if (options.json === true) sayJson(io.stdout, { home: home.home, ...made });
      else if (made.created.length === 0)
        say(io.stdout, `${home.home} is there already; nothing changed.`);
      else {
        say(io.stdout, `${home.home} is ready:`);
        for (const path of made.created) say(io.stdout, `  made ${path}`);
        for (const path of made.kept) say(io.stdout, `  kept ${path}`);
        say(io.stdout, 'Next: "interlock up" starts the runner and an approver.');
      }
      if (options.json !== true) await offerPassphrase(io, home);
      for (const problem of made.problems) say(io.stderr, `interlock: ${problem}`);
      done(0);
    });
