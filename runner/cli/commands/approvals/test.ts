import { Command } from 'commander';
import { exampleCheck, failuresOf, rulesOf } from '../../approvals/examples.ts';
import { openPolicy } from '../../approvals/file.ts';
import type { CommandModule } from '../../command-table.ts';
import { exitCodes } from '../../exit.ts';
import { say, sayJson } from '../../io.ts';

/** `approvals test`: holds every rule against its own examples. */
export const testCommand: CommandModule['declare'] = (io, done) =>
  new Command('test')
    .summary('check every rule against its examples')
    .description(
      'Checks every rule against the examples that it carries. Exits with 1 when one fails.',
    )
    .option('--json', '{"ok", "rules", "examples", "problems"} as JSON')
    .action(async (options: { readonly json?: boolean }) => {
      const check = await exampleCheck(io);
      const { document } = openPolicy(io);
      const rules = rulesOf(document).map(({ rule }) => rule);
      const examples = rules
        .map(({ examples: { match = [], noMatch = [] } = {} }) => match.length + noMatch.length)
        .reduce((sum, count) => sum + count, 0);
      const problems = failuresOf(document, check);
      const ok = problems.length === 0;
      if (options.json === true)
        sayJson(io.stdout, { ok, rules: rules.length, examples, problems });
      else {
        for (const problem of problems) say(io.stdout, problem);
        say(
          io.stdout,
          `${String(rules.length)} rules, ${String(examples)} examples, ${String(problems.length)} problems.`,
        );
      }
      done(ok ? exitCodes.ok : 1);
    });
