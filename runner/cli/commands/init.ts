import { existsSync } from 'node:fs';
import { Argument, Command, Option } from 'commander';
import { openHome } from '../../../shared/home/index.ts';
import { addStarter, projectFolder, starterNames } from '../approvals/starter.ts';
import { versionOf } from '../command-line.ts';
import type { CommandModule } from '../command-table.ts';
import { CliError } from '../failure.ts';
import { say, sayJson } from '../io.ts';
import { offerPassphrase } from '../presence.ts';
import { chooseHost, hostOption } from '../where.ts';
import type { FirstHost } from '../where.ts';

interface Options {
  readonly starter?: string;
  readonly json?: boolean;
  readonly host?: FirstHost;
}

/** `interlock init`: makes `INTERLOCK_HOME` with a first policy, and changes nothing that is there. */
export const declare: CommandModule['declare'] = (io, done) =>
  new Command('init')
    .description(
      'Makes INTERLOCK_HOME (default: ~/.interlock) with a first policy, a token and the state files. What is there already stays as it is.',
    )
    .addArgument(
      new Argument('[folder]', 'with --starter: the project; the current folder when absent'),
    )
    .addOption(
      new Option('--starter <set>', 'begin with a set of rules for a project').choices([
        ...starterNames,
      ]),
    )
    .addOption(hostOption())
    .option('--json', 'what was made and kept, as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  INTERLOCK_HOME=/srv/interlock interlock init\n  interlock init --starter project ~/src/app',
    )
    .action(async (folder: string | undefined, options: Options) => {
      const { starter } = options;
      if (starter === undefined && folder !== undefined)
        throw new CliError('A folder is for --starter.', 'Say which set of rules it begins with.');
      if (starter !== undefined) projectFolder(folder, io);
      const home = openHome(io.env);
      const chosen = existsSync(home.config) ? null : await chooseHost(options.host, io);
      const made = await home.init(io.now, {
        program: `interlock ${versionOf(io.packageRoot)}`,
        ...(chosen !== null && { host: chosen.host }),
      });
      const begun =
        starter === undefined ? [] : await addStarter({ starter, agent: '*', folder }, io);
      if (options.json === true)
        sayJson(io.stdout, {
          home: home.home,
          ...made,
          starters: begun,
          host: chosen?.host ?? null,
        });
      else if (made.created.length === 0)
        say(io.stdout, `${home.home} is there already; nothing changed.`);
      else {
        say(io.stdout, `${home.home} is ready:`);
        for (const path of made.created) say(io.stdout, `  made ${path}`);
        for (const path of made.kept) say(io.stdout, `  kept ${path}`);
        if (chosen !== null) say(io.stdout, chosen.sentence);
        say(io.stdout, 'Next: "interlock up" starts the runner and an approver.');
      }
      if (options.json !== true) for (const line of begun) say(io.stdout, line);
      if (options.json !== true) await offerPassphrase(io, home);
      for (const problem of made.problems) say(io.stderr, `interlock: ${problem}`);
      done(0);
    });
