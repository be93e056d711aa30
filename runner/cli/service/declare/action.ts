import { Command } from 'commander';
import type { CommandModule } from '../../command-table.ts';
import { CliError } from '../../failure.ts';
import { say } from '../../io.ts';
import type { Io } from '../../io.ts';
import { collect } from '../../text/collect.ts';
import { toolRunner } from '../manager.ts';
import { ownService } from '../own.ts';
import { systemService } from '../system/manager.ts';
import { systemNames } from '../system/names.ts';
import { systemPath } from '../system/plan.ts';
import { requireRootedCode } from '../system/rooted.ts';

const summaries = {
  install: 'write, enable and start it; safe to repeat',
  uninstall: 'stop, disable and remove it; policy and log stay',
  status: 'whether it is installed and up',
} as const;

type Action = keyof typeof summaries;

interface Options {
  readonly system?: boolean;
  readonly dryRun?: boolean;
  readonly allowUser?: readonly string[];
}

/** `service install|uninstall|status`. */
export function declareAction(
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
    uid: process.geteuid?.() ?? -1,
    isDryRun,
    requireRooted: requireRootedCode,
  });
}
