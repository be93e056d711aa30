import { Command } from 'commander';
import type { CommandModule } from '../command-table.ts';
import type { BenchOptions } from '../check/bench.ts';
import { exitCodes } from '../io.ts';
import { CliError } from '../failure.ts';
import { say, sayJson } from '../io.ts';
import { commandOf } from '../request.ts';

interface CheckOptions extends BenchOptions {
  readonly command?: string;
  readonly batch?: boolean;
  readonly json?: boolean;
  readonly exitCode?: boolean;
}

const verdictCodes = { allow: exitCodes.ok, ask: 1, deny: exitCodes.refused } as const;

/** `interlock check`: what the policy would say. Needs no runner. */
export const declare: CommandModule['declare'] = (io, done) =>
  new Command('check')
    .description(
      'Says what the policy would decide about a command. Asks nobody, runs nothing, needs no runner.',
    )
    .argument('[words...]', 'program and arguments')
    .option('-c, --command <text>', 'shell text instead of separate words')
    .option('--batch', 'one JSON object a line on standard input, one verdict a line out')
    .option('--agent <name>', 'on whose behalf (default: main)')
    .option('--user <name>', 'for which of "users" it is; can only lower how far it is trusted')
    .option('--channel <channel>', 'by which channel it came, as in signal:+4912345; likewise')
    .option('--group', 'others are in that channel; likewise')
    .option('--cwd <folder>', 'where it would run (default: here)')
    .option('--host <host>', 'on which host; the default is in config.json')
    .option('--policy <file>', 'another policy file')
    .option('--path <folders>', 'look commands up here instead of PATH')
    .option('--json', 'the verdict as JSON')
    .option('--exit-code', 'exit with 0 for allow, 1 for ask, 126 for deny')
    .passThroughOptions()
    .addHelpText(
      'after',
      `
Examples:
  interlock check -- git push --force
  interlock check --agent claude -c 'ls | head -3 && date'
  interlock check --batch --policy team.json < commands.ndjson

A line of a batch: {"id"?, "command" or "argv", "cwd"?, "agent"?, "env"?,
"user"?, "channel"?, "group"?}, or for the tools of an
agent {"kind": "edit", "fetch" or "mcp", "target", "tool"?, …}.`,
    )
    .action(async (argv: string[], options: CheckOptions) => {
      const { openBench } = await import('../check/bench.ts');
      if (options.batch === true) {
        if (argv.length > 0 || options.command !== undefined)
          throw new CliError(
            '--batch takes its commands from standard input.',
            'Leave the command away, or leave --batch away.',
          );
        const { runBatch } = await import('../check/batch.ts');
        await runBatch(await openBench(options, io), io);
        return;
      }
      const question = commandOf(argv, options.command);
      const { judge, verdictLines } = await import('../check/judge.ts');
      const { body, stages } = await judge(question, await openBench(options, io));
      if (options.json === true) sayJson(io.stdout, body);
      else for (const line of verdictLines(body, stages)) say(io.stdout, line);
      done(options.exitCode === true ? verdictCodes[body.verdict] : exitCodes.ok);
    });
