import { resolve } from 'node:path';
import { Command } from 'commander';
import { RefusalError, displayPlain } from '../../../shared/base/index.ts';
import { askModes, describeRule, securityModes } from '../../../shared/engine/index.ts';
import type { Layer, OverrideInForce, PolicyDocument, Said } from '../../../shared/engine/index.ts';
import { clientSocket, homePaths, openHome } from '../../../shared/home/index.ts';
import { runnerClient } from '../../../shared/ipc/index.ts';
import { CliError } from '../failure.ts';
import type { CommandModule } from '../command-table.ts';
import { exitCodes, say, sayJson } from '../io.ts';
import type { Io } from '../io.ts';
import { ignoredIn, trustProject, untrustProject } from '../project-trust.ts';
import { folderOf } from '../request.ts';
import { speakerOf } from '../signing-key.ts';

interface ExplainOptions extends RequestedModes {
  readonly agent?: string;
  readonly cwd?: string;
  readonly json?: boolean;
  /** Whose own values count, too; the runner is asked for them. */
  readonly session?: string;
  readonly key?: string;
}

/** What the request itself would name. */
interface RequestedModes {
  readonly host?: string;
  readonly node?: string;
  readonly security?: string;
  readonly ask?: string;
}

/** Who has a say, as a person tells them apart. */
const layers: Readonly<Record<Layer, string>> = {
  managed: 'managed',
  fleet: 'fleet',
  project: 'project',
  wildcard: 'person',
  defaults: 'person',
  global: 'person',
  agent: 'agent',
  session: 'session',
  request: 'request',
  trust: 'trust',
  'built-in': 'built-in',
};

/** `security     allowlist (managed: /etc/interlock/policy.d/10.json)` for each value that is set. */
export function valueLines(
  values: Readonly<Record<string, Said<string | number | null>>>,
): readonly string[] {
  return Object.entries(values).flatMap(([name, { value, layer, setting }]) =>
    value === null
      ? []
      : [displayPlain(`${name.padEnd(13)}${String(value)} (${layers[layer]}: ${setting})`)],
  );
}

/** What the request names, checked by the words that there are. Throws where one is not known. */
function requestedOf({ host, node, security, ask }: RequestedModes) {
  return {
    asked: { host, node },
    security: knownWord('--security', securityModes, security),
    ask: knownWord('--ask', askModes, ask),
  };
}

function knownWord<T extends string>(
  option: string,
  words: readonly T[],
  given: string | undefined,
): T | undefined {
  if (given === undefined) return undefined;
  const found = words.find((word) => word === given);
  if (found !== undefined) return found;
  throw new CliError(`${option} cannot be "${given}".`, `It is one of: ${words.join(', ')}.`);
}

/** What a session has of its own, as the runner tells it. */
async function overrideOf(
  { session, agent, key }: Pick<ExplainOptions, 'session' | 'key'> & { readonly agent: string },
  io: Io,
): Promise<OverrideInForce | null> {
  if (session === undefined) return null;
  const paths = homePaths(io.env);
  const { sign } = speakerOf({ agent, ...(key !== undefined && { key }) }, io, paths);
  const socketPath = clientSocket(io.env, paths);
  const runner = runnerClient({ socketPath, ...(sign !== undefined && { sign }) });
  const { own, raised } = await runner.overrideSession({ agent, session, text: '/exec' });
  return { own, raised };
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

/** `interlock policy explain`: who decided each value, and where that stands. Needs a runner only for a session. */
export const declare: CommandModule['declare'] = (io, done) => {
  const command = new Command('policy').description(
    'What holds for a command, and who said so: the request, the session, the agent, the person, the project, the fleet, or the administrator of this machine.',
  );
  command
    .command('explain')
    .summary('explain where a command runs, and who decides it')
    .description(
      'Says of each value by which a command is decided where it stands, and of each rule. Asks nobody and runs nothing.',
    )
    .argument('[command...]', 'the program and its arguments, after --')
    .option('--agent <name>', 'for which agent (default: main)')
    .option('--cwd <folder>', 'where it would run (default: here)')
    .option('--session <id>', 'with what this session has of its own, as the runner tells it')
    .option('--key <file>', "with --session: sign with this key (default: the agent's own)")
    .option('--host <name>', 'as if the request named this host')
    .option('--node <name>', 'as if the request named this node')
    .option('--security <mode>', 'as if the request said so')
    .option('--ask <mode>', 'as if the request said so')
    .option('--json', 'the same as JSON')
    .addHelpText('after', '\nExample:\n  interlock policy explain --agent claude -- git push')
    .action(async (argv: readonly string[], options: ExplainOptions) => {
      if (argv.length === 0)
        throw new CliError('No command is given.', 'Write it after --, as in the example.');
      await explain(argv, options, io);
      done(exitCodes.ok);
    });
  declareTrust(command, io, done);
  return command;
};

async function explain(argv: readonly string[], options: ExplainOptions, io: Io): Promise<void> {
  const { openBench } = await import('../check/bench.ts');
  const { judge, verdictLines } = await import('../check/judge.ts');
  const bench = await openBench(options, io);
  const { agent } = bench;
  const level = bench.levelOf(agent, bench.claims);
  const override = await overrideOf({ ...options, agent }, io);
  const { asked, security, ask } = requestedOf(options);
  const who = {
    agent,
    cwd: bench.cwd,
    override,
    ...(security !== undefined && { security }),
    ...(ask !== undefined && { ask }),
  };
  const { routed, modes } = bench.engine.origins(bench.document, { ...who, level, asked });
  const host = routed.ok ? routed.route.host.value : null;
  const ignored = ignoredIn(bench.cwd, configIn(io));
  const { body, stages } = await judge({ ...who, argv }, { ...bench, host });
  const values: Readonly<Record<string, Said<string | number | null>>> = {
    ...(routed.ok && { host: routed.route.host, node: routed.route.node }),
    ...modes,
  };
  const inForce = bench.engine.policyFor(bench.document, who).rules;
  const saying = (id: string): string | null => {
    const rule = inForce.find((one) => one.id === id);
    if (rule === undefined) return null;
    const words = `${rule.effect ?? 'allow'} ${describeRule(rule)}`;
    return rule.note === undefined ? words : `${words} (${rule.note})`;
  };
  const rules = body.analysis.stages.flatMap(({ argv: words, ruleId }) => {
    if (ruleId === null) return [];
    return [{ words, ruleId, place: placeOf(ruleId, agent, bench.document), says: saying(ruleId) }];
  });
  if (options.json === true) {
    sayJson(io.stdout, {
      agent,
      values,
      refused: routed.ok ? null : routed.problem,
      rules: rules.map(({ ruleId, place, says }) => ({ ruleId, place, says })),
      ignored,
      verdict: body,
    });
    return;
  }
  for (const line of valueLines(values)) say(io.stdout, line);
  if (!routed.ok) say(io.stdout, `host         refused: ${routed.problem.message}`);
  for (const { words, ruleId, place, says } of rules) {
    say(io.stdout, displayPlain(`rule         ${ruleId} (${place}) for ${words.join(' ')}`));
    if (says !== null) say(io.stdout, displayPlain(`             ${says}`));
  }
  for (const line of verdictLines(body, stages)) say(io.stdout, line);
  for (const { path, why } of ignored) say(io.stdout, displayPlain(`ignored      ${path}: ${why}`));
}

function configIn(io: Io) {
  const read = openHome(io.env).readConfig();
  if (!read.ok) throw new RefusalError(read.problem);
  return read.config;
}

function declareTrust(command: Command, io: Io, done: Parameters<CommandModule['declare']>[1]) {
  const at = (folder: string): string => resolve(folderOf(io), folder);
  command
    .command('trust')
    .summary('accept the bounds that a project sets for itself')
    .description(
      'Accepts the .interlock.json of a project as it is now: it can tighten what may be done there, and loosen nothing. For a person at a terminal.',
    )
    .argument('[folder]', 'the folder of the project', '.')
    .addHelpText('after', '\nExample:\n  interlock policy trust ~/src/app')
    .action(async (folder: string) => {
      await trustProject(at(folder), io);
      done(exitCodes.ok);
    });
  command
    .command('untrust')
    .summary('drop the bounds that a project sets for itself')
    .description(
      'Drops the bounds that the .interlock.json of a project set. For a person at a terminal, who is asked for the passphrase.',
    )
    .argument('[folder]', 'the folder of the project', '.')
    .addHelpText('after', '\nExample:\n  interlock policy untrust ~/src/app')
    .action(async (folder: string) => {
      await untrustProject(at(folder), io);
      done(exitCodes.ok);
    });
}
