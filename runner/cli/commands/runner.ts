import { existsSync } from 'node:fs';
import { Command, Option } from 'commander';
import { homePaths } from '../../../shared/home/index.ts';
import { logLevels } from '../../../shared/engine/index.ts';
import type { LogLevel } from '../../../shared/engine/index.ts';
import { refusalOf } from '../../../shared/base/index.ts';
import type { CommandModule } from '../command-table.ts';
import { exitCodes } from '../io.ts';
import { CliError } from '../failure.ts';
import { say } from '../io.ts';
import type { Io } from '../io.ts';

interface RunnerFlags {
  readonly logLevel?: LogLevel;
}

/** `--log-level` of a runner in the foreground. */
export function logLevelOption(): Option {
  return new Option(
    '--log-level <level>',
    'the least that is logged; config.json says it otherwise',
  ).choices(logLevels);
}

/** `interlock runner`: the service alone, in the foreground. */
export const declare: CommandModule['declare'] = (io, done) =>
  new Command('runner')
    .description('Starts the runner alone, in the foreground. Ctrl-C stops it.')
    .addOption(logLevelOption())
    .addHelpText(
      'after',
      `
Example:
  interlock runner --log-level warn

SIGTERM and Ctrl-C stop it: commands under way are ended, asks taken back, the log closed.
SIGHUP has a runner without a terminal look at its settings again.`,
    )
    .action(async (flags: RunnerFlags) => {
      await runInForeground(io, flags);
      done(exitCodes.ok);
    });

/** Starts a runner and stays until it is told to stop. Rejects with a `CliError` where it cannot start. */
export async function runInForeground(io: Io, { logLevel }: RunnerFlags): Promise<void> {
  const { config, home, runnerSocket } = homePaths(io.env);
  if (!existsSync(config))
    throw new CliError(`${home} is not set up.`, 'Run "interlock init" first.');
  // Before anything large: the engine takes these settings only then.
  await import('../../small-footprint.ts');
  const { startRunner } = await import('../../service/start-runner.ts');
  const { meaningOf } = await import('../../service/reload.ts');
  const { goesToJournal } = await import('../../service/log.ts');
  let reload = (): void => undefined;
  const signalled = new Promise<void>((resolve) => {
    io.onSignal((signal) => {
      if (meaningOf(signal, [io.stdin, io.stdout, io.stderr]) === 'reload') reload();
      else resolve();
    });
  });
  const level = logLevel === undefined ? {} : { logLevel };
  const runner = await startRunner({ env: io.env, ...level }).catch((error: unknown) => {
    const refusal = refusalOf(error);
    // 126 is for commands that were refused; this is a program that could not start.
    throw refusal === undefined ? error : new CliError(refusal.message, refusal.hint);
  });
  reload = () => void runner.reload();
  // The journal has that line already, with its weight.
  if (!goesToJournal(io.env, process.stdout.fd))
    say(io.stdout, `The runner listens on ${runnerSocket}. Ctrl-C stops it.`);
  await signalled;
  await runner.dispose();
}
