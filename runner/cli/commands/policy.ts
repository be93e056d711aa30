import { resolve } from 'node:path';
import { Command } from 'commander';
import { RefusalError, displayPlain } from '../../../shared/base/index.ts';
import { describeRule } from '../../../shared/engine/index.ts';
import type { PolicyDocument, Said } from '../../../shared/engine/index.ts';
import { openHome } from '../../../shared/home/index.ts';
import { CliError } from '../failure.ts';
import type { CommandModule } from '../command-table.ts';
import { exitCodes, say, sayJson } from '../io.ts';
import type { Io } from '../io.ts';
import { ignoredIn, trustProject, untrustProject } from '../project-trust.ts';
import { folderOf } from '../request.ts';

interface ExplainOptions {
  readonly agent?: string;
  readonly cwd?: string;
  readonly json?: boolean;
}

/** Where a rule stands that decided. */
function placeOf(id: string, agent: string, document: PolicyDocument | null): string {
  const [, file] = /^(?:managed|fleet|project):(.+\.json)(?::.*)?$/.exec(id) ?? [];
  if (file !== undefined) return file;
  const holder = [agent, '*'].find((name) =>
    (document !== null && Object.hasOwn(document.agents ?? {}, name)
      ? (document.agents?.[name]?.allowlist ?? [])
      : []
    ).some((rule) => rule.id === id),
  );
  return holder === undefined ? 'not in the file' : `agents.${holder} of exec-approvals.json`;
}

/** `interlock policy explain`: which file and which line of it decided each value. Needs no runner. */
export const declare: CommandModule['declare'] = (io, done) => {
  const command = new Command('policy').description(
    'What holds for a command, and who said so: the request, the settings, the policy, the project, or the administrator of this machine.',
  );
  command
    .command('explain')
    .summary('which file decides where a command runs, and how')
    .description(
      'Says of each value by which a command is decided where it stands, and of each rule. Asks nobody and runs nothing.',
    )
    .argument('[command...]', 'the program and its arguments, after --')
    .option('--agent <name>', 'for which agent (default: main)')
    .option('--cwd <folder>', 'where it would run (default: here)')
    .option('--json', 'the same as JSON')
    .addHelpText('after', '\nExample:\n  interlock policy explain --agent claude -- git push')
    .action(async (argv: readonly string[], options: ExplainOptions) => {
      if (argv.length === 0)
        throw new CliError('No command is given.', 'Write it after --, as in the example.');
      const { openBench } = await import('../check/bench.ts');
      const { judge, verdictLines } = await import('../check/judge.ts');
      const bench = await openBench(options, io);
      const { agent } = bench;
      const level = bench.levelOf(agent, bench.claims);
      const { routed, modes } = bench.engine.origins(bench.document, {
        agent,
        level,
        cwd: bench.cwd,
      });
      const ignored = ignoredIn(bench.cwd, configIn(io));
      const { body, stages } = await judge({ argv }, bench);
      const values: Readonly<Record<string, Said<string | number | null>>> = {
        ...(routed.ok && { host: routed.route.host, node: routed.route.node }),
        ...modes,
      };
      const inForce = bench.engine.policyFor(bench.document, { agent, cwd: bench.cwd }).rules;
      const saying = (id: string): string | null => {
        const rule = inForce.find((one) => one.id === id);
        if (rule === undefined) return null;
        const words = `${rule.effect ?? 'allow'} ${describeRule(rule)}`;
        return rule.note === undefined ? words : `${words} (${rule.note})`;
      };
      const rules = body.analysis.stages.flatMap(({ argv: words, ruleId }) =>
        ruleId === null
          ? []
          : [
              {
                words,
                ruleId,
                place: placeOf(ruleId, agent, bench.document),
                says: saying(ruleId),
              },
            ],
      );
      if (options.json === true) {
        sayJson(io.stdout, {
          agent,
          values,
          refused: routed.ok ? null : routed.problem,
          rules: rules.map(({ ruleId, place, says }) => ({ ruleId, place, says })),
          ignored,
          verdict: body,
        });
        return done(0);
      }
      for (const [name, { value, setting }] of Object.entries(values))
        if (value !== null) say(io.stdout, `${name.padEnd(13)}${String(value)} (${setting})`);
      if (!routed.ok) say(io.stdout, `host         refused: ${routed.problem.message}`);
      for (const { words, ruleId, place, says } of rules) {
        say(io.stdout, displayPlain(`rule         ${ruleId} (${place}) for ${words.join(' ')}`));
        if (says !== null) say(io.stdout, displayPlain(`             ${says}`));
      }
      for (const line of verdictLines(body, stages)) say(io.stdout, line);
      for (const { path, why } of ignored)
        say(io.stdout, displayPlain(`ignored      ${path}: ${why}`));
      return done(0);
    });
  declareTrust(command, io, done);
  return command;
};

function configIn(io: Io) {
  const read = openHome(io.env).readConfig();
  if (!read.ok) throw new RefusalError(read.problem);
  return read.config;
}

function declareTrust(command: Command, io: Io, done: Parameters<CommandModule['declare']>[1]) {
  const at = (folder: string): string => resolve(folderOf(io), folder);
  command
    .command('trust')
    .description(
      'Lets the .interlock.json of a project bound what is done there, as it stands now. For a person at a terminal.',
    )
    .argument('[folder]', 'the folder of the project', '.')
    .addHelpText('after', '\nExample:\n  interlock policy trust ~/src/app')
    .action(async (folder: string) => {
      await trustProject(at(folder), io);
      done(exitCodes.ok);
    });
  command
    .command('untrust')
    .description(
      'Takes back what the .interlock.json of a project says. For a person at a terminal, who is asked for the passphrase.',
    )
    .argument('[folder]', 'the folder of the project', '.')
    .addHelpText('after', '\nExample:\n  interlock policy untrust ~/src/app')
    .action(async (folder: string) => {
      await untrustProject(at(folder), io);
      done(exitCodes.ok);
    });
}
