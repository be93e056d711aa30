import { randomUUID } from 'node:crypto';
import { Command } from 'commander';
import { RefusalError, displayPlain } from '../../../shared/base/index.ts';
import { advisedFor, advisorNamed, quoteWords } from '../../../shared/engine/index.ts';
import type { Advised, Config } from '../../../shared/engine/index.ts';
import { openHome, systemClock } from '../../../shared/home/index.ts';
import { createAdvisors, withoutSecrets } from '../../advisors/consult.ts';
import { loadRuleSet } from '../../audit/rule-set.ts';
import { openBench } from '../check/bench.ts';
import { judge } from '../check/judge.ts';
import type { Question } from '../check/judge.ts';
import type { CommandModule } from '../command-table.ts';
import { CliError } from '../failure.ts';
import { exitCodes, say, sayJson } from '../io.ts';
import type { Io } from '../io.ts';
import { commandOf, folderOf } from '../request.ts';

interface TestOptions {
  readonly command?: string;
  readonly agent?: string;
  readonly cwd?: string;
  readonly advisor?: string;
  readonly json?: boolean;
}

const noteOnly = { counts: 'note', onRefuse: 'hold' } as const;

/** `interlock advisor`: who looks at asks before a person does, and what it would say. */
export const declare: CommandModule['declare'] = (io, done) => {
  const advisor = new Command('advisor')
    .description(
      'Programs of your choice that look at asks before you do: "advisors" in config.json.',
    )
    .enablePositionalOptions();
  advisor
    .command('list')
    .summary('list the advisors of config.json')
    .description('Lists the advisors of config.json, and for which agents they count for what.')
    .option('--json', 'as JSON')
    .action(({ json }: { readonly json?: boolean }) => {
      const rows = listed(configOf(io));
      if (json === true) sayJson(io.stdout, { advisors: rows });
      else if (rows.length === 0) say(io.stdout, 'No advisor is set up.');
      for (const { name, how, agents } of json === true ? [] : rows) {
        say(io.stdout, displayPlain(`${name}  ${how}`));
        for (const { agent, counts } of agents) say(io.stdout, `  ${agent}: ${counts}`);
        if (agents.length === 0) say(io.stdout, '  looks at nothing: no agent names it');
      }
      done(exitCodes.ok);
    });
  advisor
    .command('test')
    .summary('ask one about a command')
    .description(
      'Sends an advisor what it would be told of a command, and prints that and its answer. Runs nothing but the advisor, and needs no runner.',
    )
    .argument('[words...]', 'program and arguments')
    .option('-c, --command <text>', 'shell text instead of separate words')
    .option('--advisor <name>', 'which one (default: the one that the agent has)')
    .option('--agent <name>', 'on whose behalf (default: main)')
    .option('--cwd <folder>', 'where it would run (default: here)')
    .option('--json', 'question and answer as JSON')
    .passThroughOptions()
    .addHelpText(
      'after',
      `
Examples:
  interlock advisor test -- rm -rf build
  interlock advisor test --advisor local -c 'curl https://example.com | sh'`,
    )
    .action(async (argv: string[], options: TestOptions) => {
      const answered = await tried(commandOf(argv, options.command), options, io);
      const { question, advice, advised } = answered;
      if (options.json === true) sayJson(io.stdout, { question, advice });
      else {
        say(io.stdout, 'It was told:');
        say(io.stdout, displayPlain(JSON.stringify(question, null, 2)));
        say(io.stdout, '');
        const said = advice.answer === 'none' ? 'gave no answer' : `says "${advice.answer}"`;
        say(io.stdout, displayPlain(`${advised.name} ${said}: ${advice.reason}`));
      }
      done(advice.answer === 'none' ? exitCodes.failed : exitCodes.ok);
    });
  return advisor;
};

function configOf(io: Io): Config {
  const file = openHome(io.env).readConfig();
  if (!file.ok) throw new RefusalError(file.problem);
  return file.config;
}

function listed(config: Config) {
  return Object.entries(config.advisors.programs).map(([name, { argv, url }]) => ({
    name,
    how: argv === undefined ? (url ?? '') : quoteWords(argv),
    agents: Object.keys(config.agents).flatMap((agent) => {
      const own = config.agents[agent]?.advisor;
      if (own?.by !== name) return [];
      return [{ agent, counts: own.counts ?? 'note', onRefuse: own.onRefuse ?? 'hold' }];
    }),
  }));
}

async function tried(asked: Question, options: TestOptions, io: Io) {
  const config = configOf(io);
  const bench = await openBench(options, io);
  const advised = chosen(config, bench.agent, options.advisor);
  const { body } = await judge(asked, bench);
  const { ok, reason: opaque, stages } = body.analysis;
  await loadRuleSet();
  const question = withoutSecrets({
    version: 1,
    agent: bench.agent,
    kind: 'exec',
    host: body.host,
    cwd: bench.cwd,
    command: asked.command ?? quoteWords(asked.argv ?? []),
    detail: null,
    programs: stages.map(({ resolvedPath }) => resolvedPath),
    opaque: ok ? null : opaque,
    why: body.message,
    risk: body.risk,
  });
  const home = openHome(io.env);
  const advisors = createAdvisors({
    clock: systemClock,
    uid: home.uid,
    home: home.home,
    newId: randomUUID,
    atOnce: () => 1,
  });
  const workspaces = [
    bench.cwd,
    folderOf(io),
    ...config.exec.workspaces,
    ...config.sandbox.readWrite,
  ];
  const over = new AbortController();
  const dispose = io.onSignal(() => over.abort());
  try {
    const { signal } = over;
    const advice = await advisors.consult({ advised, question, workspaces, signal });
    return { advised, question, advice };
  } finally {
    dispose();
  }
}

function chosen(config: Config, agent: string, name: string | undefined): Advised {
  const found =
    name === undefined ? advisedFor(config, agent) : advisorNamed(config, name, noteOnly);
  if (found !== null) return found;
  throw name === undefined
    ? new CliError(
        `Nobody looks at the asks of "${agent}".`,
        'Name an advisor with --advisor, or give the agent one in config.json.',
      )
    : new CliError(
        `config.json has no advisor named "${name}".`,
        'See those that it has: interlock advisor list',
      );
}
