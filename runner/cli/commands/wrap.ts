import { spawn } from 'node:child_process';
import { Command } from 'commander';
import { hosts, recordOf } from '../../../shared/agents/index.ts';
import type { ModelKey } from '../../../shared/agents/index.ts';
import { refuse } from '../../../shared/base/index.ts';
import {
  baseEnvironment,
  leaveNoCore,
  openHome,
  programOnPath,
  requireSecretName,
} from '../../../shared/home/index.ts';
import type { CommandModule } from '../command-table.ts';
import { CliError } from '../failure.ts';
import { exitCodeOfSignal, exitCodes, stopSignals } from '../io.ts';
import type { Io } from '../io.ts';
import { collect } from '../options.ts';
import { requireNoAgentsCommand } from '../presence.ts';
import { folderOf } from '../request.ts';

/** Agents that take the key of their model from the environment. */
const agents: Readonly<Record<string, ModelKey>> = Object.fromEntries(
  hosts.flatMap((host) => {
    const { modelKey } = recordOf(host);
    return modelKey === undefined ? [] : [[host, modelKey]];
  }),
);

interface WrapOptions {
  readonly secret?: string;
  readonly keep?: readonly string[];
}

/** What a terminal says of itself, and where the hooks of the agent find Interlock. */
const passedOn = [
  'TERM',
  'COLORTERM',
  'TERM_PROGRAM',
  'TERM_PROGRAM_VERSION',
  'NO_COLOR',
  'INTERLOCK_HOME',
  'INTERLOCK_SOCKET',
];

/** `interlock wrap AGENT`: an agent with its own key from the store, and nobody else's. */
export const declare: CommandModule['declare'] = (io, done) =>
  new Command('wrap')
    .description(
      'Starts an agent with the key of its model from the store, and without the other variables of this terminal. It can read its own key, and no other.',
    )
    .argument('<agent>', Object.keys(agents).join(', '))
    .argument('[words...]', 'arguments of the agent')
    .option('--secret <name>', 'another secret than the one that is usual for it')
    .option('--keep <NAME>', 'a variable of this terminal that it is to have, too', collect)
    .passThroughOptions()
    .addHelpText(
      'after',
      '\nExamples:\n  interlock secret set anthropic\n  interlock wrap claude\n  interlock wrap --keep HTTPS_PROXY claude --resume',
    )
    .action(async (name: string, words: readonly string[], options: WrapOptions) => {
      const agent = Object.hasOwn(agents, name) ? agents[name] : undefined;
      if (agent === undefined)
        throw new CliError(
          `"${name}" is not an agent that can be wrapped.`,
          `Use one of: ${Object.keys(agents).join(', ')}.`,
        );
      const home = openHome(io.env);
      requireNoAgentsCommand(home);
      if (home.stopState().mode === 'locked')
        throw refuse(
          'lockout-active',
          'Everything is locked, and no agent is started with a key.',
          'Unlock first: interlock unlock',
        );
      leaveNoCore();
      const secret = options.secret ?? agent.secret;
      requireSecretName(secret);
      const env = cleanEnvironment(io, options.keep ?? []);
      const file = programOnPath(agent.program, env['PATH'] ?? '');
      if (file === null)
        throw new CliError(
          `The program "${agent.program}" was not found.`,
          'Install it, or mend PATH.',
        );
      const secrets = await home.openNamedSecrets();
      const value = await secrets.get(secret);
      if (value === null)
        throw new CliError(
          `There is no secret "${secret}".`,
          `Keep it first: interlock secret set ${secret}`,
        );
      await secrets.used([secret], `wrap ${name}`);
      done(await start(io, file, words, { ...env, [agent.variable]: value.toString('utf8') }));
    });

/** What every command sees, less the way to the person's keys for SSH, and what is named. */
function cleanEnvironment(io: Io, keep: readonly string[]): Readonly<Record<string, string>> {
  const { SSH_AUTH_SOCK: _, ...base } = baseEnvironment(io.env);
  const more = [...passedOn, ...keep].flatMap((name) => {
    const value = io.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...base, ...Object.fromEntries(more) };
}

/** Runs it at this terminal to its end; the exit status is its own. */
async function start(
  io: Io,
  file: string,
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<number> {
  const child = spawn(file, words, { cwd: folderOf(io), env, stdio: 'inherit' });
  // A terminal sends its signals to the agent itself; only those for us alone are passed on.
  const unlisten = io.onSignal((signal) => {
    if (signal !== 'SIGINT') child.kill(signal);
  });
  try {
    return await new Promise((resolve) => {
      child.once('error', () => resolve(exitCodes.failed));
      child.once('close', (exitCode, signal) =>
        resolve(exitCode ?? exitCodeOfSignal(signal ?? stopSignals[0] ?? 'SIGINT')),
      );
    });
  } finally {
    unlisten();
  }
}
