import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { homePaths } from '../../../shared/node/home/paths.ts';
import type { CommandModule } from '../command-table.ts';
import { CliError } from '../failure.ts';
import { say } from '../io.ts';
import type { Io } from '../io.ts';
import { launchdAgentFile, launchdManager } from '../service/launchd.ts';
import { toolRunner } from '../service/manager.ts';
import type { ServiceManager } from '../service/manager.ts';
import { systemdManager, systemdUnitFile } from '../service/systemd.ts';

/** `interlock service`: the runner as a service of this person. */
export const declare: CommandModule['declare'] = (io, done) => {
  const command = new Command('service')
    .summary('the runner as a service: install, uninstall, status')
    .description('Has systemd (Linux) or launchd (macOS) start the runner and keep it running.')
    .addHelpText(
      'after',
      `
Examples:
  interlock service install
  interlock service status

The unit sets no sandboxing: it would hold for the approved commands as well, and
NoNewPrivileges would break sudo among them. Commands are confined by the host "sandbox".`,
    );
  const actions = {
    install: 'write, enable and start it; safe to repeat',
    uninstall: 'stop, disable and remove it',
    status: 'whether it is installed and up',
  } as const;
  for (const [name, summary] of Object.entries(actions))
    command.addCommand(
      new Command(name)
        .summary(summary)
        .description(`The runner's service: ${summary}.`)
        .action(async () => {
          const manager = managerOf(io);
          await manager.require();
          for (const line of await manager[name as keyof typeof actions]()) say(io.stdout, line);
          done(0);
        }),
    );
  return command;
};

function managerOf(io: Io, platform = process.platform): ServiceManager {
  const { home, config } = homePaths(io.env);
  if (!existsSync(config))
    throw new CliError(`${home} is not set up.`, 'Run "interlock init" first.');
  const person = io.env['HOME'] ?? homedir();
  const common = {
    run: toolRunner(io.env),
    packageRoot: io.packageRoot,
    facts: {
      node: process.execPath,
      cli: join(io.packageRoot, 'dist', 'runner', 'cli', 'main.js'),
      home,
      path: absoluteEntries(io.env['PATH']),
    },
  };
  if (platform === 'linux')
    return systemdManager({ ...common, file: systemdUnitFile(io.env, person) });
  if (platform === 'darwin')
    return launchdManager({ ...common, file: launchdAgentFile(person) }, process.getuid?.() ?? -1);
  throw new CliError(
    'This system has neither systemd nor launchd.',
    'Start the runner by whatever starts programs here: interlock runner',
  );
}

function absoluteEntries(path: string | undefined): string {
  const kept = (path ?? '').split(':').filter((entry) => entry.startsWith('/'));
  return kept.length === 0 ? '/usr/local/bin:/usr/bin:/bin' : [...new Set(kept)].join(':');
}
