import { Command } from 'commander';
import { existsSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { homePaths, ownUid } from '../../../shared/home/index.ts';
import { runnerClient } from '../../../shared/ipc/index.ts';
import { launchdAgentFile, systemdUnitFile } from '../../../shared/operations/index.ts';
import type { CommandModule } from '../command-table.ts';
import { CliError } from '../failure.ts';
import { say } from '../io.ts';
import type { Io } from '../io.ts';
import { collect } from '../options.ts';
import { launchdManager } from '../service/launchd.ts';
import { toolRunner } from '../service/manager.ts';
import type { ServiceManager } from '../service/manager.ts';
import { requireRootedCode } from '../service/rooted.ts';
import { declareShare } from '../service/share.ts';
import { systemService } from '../service/system-manager.ts';
import { systemNames, systemPath } from '../service/system-plan.ts';
import { systemdManager } from '../service/systemd.ts';
import { readVersion } from '../../version.ts';

/** The service of the person who calls, on this home. */
function ownService(io: Io, platform = process.platform): ServiceManager {
  const { home, config, runnerSocket } = homePaths(io.env);
  if (!existsSync(config))
    throw new CliError(`${home} is not set up.`, 'Run "interlock init" first.');
  const person = io.env['HOME'] ?? homedir();
  const cli = join(io.packageRoot, 'dist', 'runner', 'cli', 'main.js');
  const common = {
    run: toolRunner(io.env),
    packageRoot: io.packageRoot,
    isOutdated: async () => isOlderThan(cli, runnerSocket),
    facts: {
      node: process.execPath,
      cli,
      home,
      path: absoluteEntries(io.env['PATH']),
    },
  };
  if (platform === 'linux')
    return systemdManager({ ...common, file: systemdUnitFile(io.env, person) });
  if (platform === 'darwin')
    return launchdManager({ ...common, file: launchdAgentFile(person) }, ownUid());
  throw new CliError(
    'This system has neither systemd nor launchd.',
    'Start the runner by whatever starts programs here: interlock runner',
  );
}

/**
 * Whether the runner at the socket is of another version than this one, or was started before the
 * program came to where it is. One that does not answer is left to its watchdog.
 */
async function isOlderThan(program: string, socketPath: string): Promise<boolean> {
  try {
    const { version, startedAt } = await runnerClient({ socketPath }).status();
    return version !== readVersion() || startedAt < statSync(program).ctimeMs;
  } catch {
    return false;
  }
}

function absoluteEntries(path: string | undefined): string {
  const kept = (path ?? '').split(':').filter((entry) => entry.startsWith('/'));
  return kept.length === 0 ? '/usr/local/bin:/usr/bin:/bin' : [...new Set(kept)].join(':');
}

const summaries = {
  install: 'write, enable and start it; safe to repeat',
  uninstall: 'stop, disable and remove it; policy and log stay',
  status: 'show whether it is installed and running',
} as const;

type Action = keyof typeof summaries;

interface Options {
  readonly system?: boolean;
  readonly dryRun?: boolean;
  readonly allowUser?: readonly string[];
}

/** `service install|uninstall|status`. */
function declareAction(
  io: Io,
  done: Parameters<CommandModule['declare']>[1],
  name: Action,
): Command {
  const command = new Command(name)
    .summary(summaries[name])
    .description(`The runner's service: ${summaries[name]}.`)
    .option('--system', 'the one of the machine, as a user of its own (Linux)')
    .action(async (options: Options) => {
      for (const line of await linesOf(io, name, options)) say(io.stdout, line);
      done(0);
    });
  if (name !== 'status')
    command.option('--dry-run', 'with --system: only say what would be written and run');
  if (name === 'install')
    command.option('--allow-user <name>', 'with --system: who may use it; repeatable', collect);
  return command;
}

async function linesOf(io: Io, name: Action, options: Options): Promise<readonly string[]> {
  if (options.system === true) {
    const service = systemServiceOf(io, options.dryRun === true);
    return name === 'install' ? service.install(options.allowUser ?? []) : service[name]();
  }
  if (options.dryRun === true || options.allowUser !== undefined)
    throw new CliError('That is an option of --system.', 'See: interlock service install --help');
  const manager = ownService(io);
  await manager.require();
  return manager[name]();
}

function systemServiceOf(io: Io, isDryRun: boolean): ReturnType<typeof systemService> {
  if (process.platform !== 'linux')
    throw new CliError(
      'A runner with a user of its own needs systemd, which is on Linux.',
      'Install the service of your own user: interlock service install',
    );
  return systemService({
    // Root runs programs by these names: they are not looked for where a caller says.
    run: toolRunner({ PATH: systemPath, LC_ALL: 'C' }),
    names: systemNames,
    packageRoot: io.packageRoot,
    node: process.execPath,
    uid: ownUid(),
    isDryRun,
    requireRooted: requireRootedCode,
  });
}

/** `interlock service`: the runner as a service, of this person or of the machine. */
export const declare: CommandModule['declare'] = (io, done) =>
  new Command('service')
    .description(
      'Has systemd (Linux) or launchd (macOS) start the runner and keep it running. With --system the runner gets a user of its own, and only chosen users may use it (Linux, as root).',
    )
    .addHelpText(
      'after',
      `
Examples:
  interlock service install
  sudo interlock service install --system --allow-user alice
  interlock service install --system --allow-user alice --dry-run
  interlock service status

The unit of a person sets no sandboxing: it would hold for the approved commands as well, and
NoNewPrivileges would break sudo among them. docs/service.md says what each unit sets, and why.`,
    )
    .addCommand(declareAction(io, done, 'install'))
    .addCommand(declareAction(io, done, 'uninstall'))
    .addCommand(declareAction(io, done, 'status'))
    .addCommand(declareShare(io, done));
