import { Command } from 'commander';
import { displayPlain } from '../../../shared/base/index.ts';
import type { PolicyDocument, Said } from '../../../shared/engine/index.ts';
import { CliError } from '../failure.ts';
import type { CommandModule } from '../command-table.ts';
import { say, sayJson } from '../io.ts';

interface ExplainOptions {
  readonly agent?: string;
  readonly cwd?: string;
  readonly json?: boolean;
}

/** Where a rule stands that decided. */
function placeOf(id: string, agent: string, document: PolicyDocument | null): string {
  const [, managed] = /^managed:(.+\.json)/.exec(id) ?? [];
  if (managed !== undefined) return managed;
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
    'What holds for a command, and who said so: the request, the settings, the policy, or the administrator of this machine.',
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
      const { routed, modes } = bench.engine.origins(bench.document, { agent, level });
      const { body, stages } = await judge({ argv }, bench);
      const values: Readonly<Record<string, Said<string | number | null>>> = {
        ...(routed.ok && { host: routed.route.host, node: routed.route.node }),
        ...modes,
      };
      const rules = body.analysis.stages.flatMap(({ argv: words, ruleId }) =>
        ruleId === null ? [] : [{ words, ruleId, place: placeOf(ruleId, agent, bench.document) }],
      );
      if (options.json === true) {
        sayJson(io.stdout, {
          agent,
          values,
          refused: routed.ok ? null : routed.problem,
          rules: rules.map(({ ruleId, place }) => ({ ruleId, place })),
          verdict: body,
        });
        return done(0);
      }
      for (const [name, { value, setting }] of Object.entries(values))
        if (value !== null) say(io.stdout, `${name.padEnd(13)}${String(value)} (${setting})`);
      if (!routed.ok) say(io.stdout, `host         refused: ${routed.problem.message}`);
      for (const { words, ruleId, place } of rules)
        say(io.stdout, displayPlain(`rule         ${ruleId} (${place}) for ${words.join(' ')}`));
      for (const line of verdictLines(body, stages)) say(io.stdout, line);
      return done(0);
    });
  return command;
};
