import { Command, InvalidArgumentError } from 'commander';
import { existsSync } from 'node:fs';
import { refusalOf } from '../../../shared/base/index.ts';
import { homePaths, openHome } from '../../../shared/home/index.ts';
import type { Home } from '../../../shared/home/index.ts';
import { detectSandbox } from '../../rpc/detect.ts';
import type { CommandModule } from '../command-table.ts';
import { CliError } from '../failure.ts';
import { exitCodes, say, sayJson } from '../io.ts';
import type { Io } from '../io.ts';
import { collect, parseDuration } from '../options.ts';
import { requireNoAgentsCommand } from '../presence.ts';
import {
  folderStatus,
  isRunnerUp,
  rpcSettings,
  rpcUnits,
  shareFolder,
  unshareFolder,
} from '../rpc-folders.ts';
import type { FolderStatus, SharingOptions } from '../rpc-folders.ts';

type Done = Parameters<CommandModule['declare']>[1];

function homeOf(io: Io): Home {
  const { config, home } = homePaths(io.env);
  if (!existsSync(config))
    throw new CliError(`${home} is not set up.`, 'Run "interlock init" first.');
  return openHome(io.env);
}

interface InstallOptions extends SharingOptions {
  readonly daemonless?: true;
}

const installCommand = (io: Io, done: Done): Command =>
  new Command('install')
    .summary('share a folder; safe to repeat')
    .description(
      'Makes .interlock in the folder and writes it into config.json, so that agents with keys may ask through it.',
    )
    .argument('<folder>', 'what the sandbox and this machine share')
    .option('--agent <name>', 'only this agent may ask through it; repeatable', collect)
    .option('--owner <uid>', 'a user as whom the sandbox writes there; repeatable', uids)
    .option('--daemonless', 'systemd or launchd starts a runner for what comes')
    .action(async (folder: string, options: InstallOptions) => {
      const home = homeOf(io);
      requireNoAgentsCommand(home);
      const { daemonless, ...sharing } = options;
      const path = shareFolder(folder, sharing, home);
      say(io.stdout, `Shared: ${path}`);
      const units = rpcUnits(io);
      if (daemonless === true && units === null) throw noManager();
      if (units !== null && (daemonless === true || units.isInstalled())) {
        const folders = rpcSettings(home).folders.map((one) => one.path);
        for (const line of await units.watch(folders)) say(io.stdout, line);
      } else if (!(await isRunnerUp(home)))
        say(io.stdout, 'No runner is up: start one with "interlock up", or say --daemonless.');
      say(io.stdout, 'Give an agent its key: interlock agents add NAME --deliver HOME');
      done(exitCodes.ok);
    });

function noManager(): CliError {
  return new CliError(
    'This system has neither systemd nor launchd.',
    'Have whatever starts programs here run "interlock rpc drain" when the folder changes.',
  );
}

function uids(text: string, before: readonly number[] = []): readonly number[] {
  if (!/^\d{1,10}$/u.test(text))
    throw new InvalidArgumentError('It takes a number, as "id -u" prints it.');
  return [...before, Number(text)];
}

const uninstallCommand = (io: Io, done: Done): Command =>
  new Command('uninstall')
    .summary('stop sharing a folder')
    .description('Takes the folder out of config.json. What lies in it stays; keys stay, too.')
    .argument('<folder>', 'which one')
    .action(async (folder: string) => {
      const home = homeOf(io);
      requireNoAgentsCommand(home);
      say(io.stdout, `No longer shared: ${unshareFolder(folder, home)}`);
      const units = rpcUnits(io);
      if (units?.isInstalled() === true) {
        const folders = rpcSettings(home).folders.map((one) => one.path);
        for (const line of await units.watch(folders)) say(io.stdout, line);
      }
      done(exitCodes.ok);
    });

const statusCommand = (io: Io, done: Done): Command =>
  new Command('status')
    .summary('list shared folders and what waits in them')
    .description('Which folders are shared, what waits in them, and who carries it out.')
    .argument('[folder]', 'only this one')
    .option('--json', '{"by", "folders"} as JSON')
    .action(async (folder: string | undefined, options: { readonly json?: true }) => {
      const home = homeOf(io);
      const folders = folderStatus(home, folder);
      const isUp = await isRunnerUp(home);
      const by = isUp ? 'runner' : rpcUnits(io)?.isInstalled() === true ? 'drain' : null;
      if (options.json === true) sayJson(io.stdout, { by, folders });
      else {
        if (folders.length === 0)
          say(io.stdout, 'No folder is shared. Share one: interlock rpc install FOLDER');
        for (const line of folders.flatMap(linesOf)) say(io.stdout, line);
        if (folders.length > 0) say(io.stdout, carriers[by ?? 'nobody']);
      }
      done(folders.every(({ problem }) => problem === null) ? exitCodes.ok : exitCodes.failed);
    });

const carriers = {
  runner: 'The runner that is up carries out what comes.',
  drain: 'A runner is started for what comes.',
  nobody: 'Nobody carries out what comes. Start a runner with "interlock up".',
} as const;

function linesOf({ path, agents, problem, waiting, answers }: FolderStatus): readonly string[] {
  const who = agents === null ? 'each agent with a key' : agents.join(', ');
  return [
    path,
    `  for ${who}`,
    problem === null
      ? `  ${String(waiting)} requests, ${String(answers)} answers`
      : `  cannot be used: ${problem}`,
  ];
}

const drainCommand = (io: Io, done: Done): Command =>
  new Command('drain')
    .summary('carry out what lies in shared folders, then end')
    .description(
      'Starts a runner for what lies in shared folders, one request after the other, and ends when nothing more comes. With a runner up it does nothing.',
    )
    .option('--quiet-for <time>', 'how long nothing has to come', parseDuration, 2_000)
    .action(async ({ quietFor }: { readonly quietFor: number }) => {
      homeOf(io);
      await import('../../small-footprint.ts');
      const { startRunner } = await import('../../service/start-runner.ts');
      let stop = (): void => undefined;
      const stopped = new Promise<void>((resolve) => (stop = resolve));
      const ignore = io.onSignal(() => stop());
      try {
        const runner = await startRunner({ env: io.env, only: 'folders' });
        await Promise.race([runner.drained(quietFor), stopped]);
        await runner.dispose();
      } catch (error) {
        // The runner that has the home sees to its folders as well.
        if (refusalOf(error)?.code !== 'concurrency-busy') throw error;
      } finally {
        ignore();
      }
      done(exitCodes.ok);
    });

const detectCommand = (io: Io, done: Done): Command =>
  new Command('detect')
    .summary('tell whether this is inside a sandbox, and how one knows')
    .description(
      'Says whether this is the inside of a sandbox, and why. There the same program asks the host through the shared folder. Exits with 1 on a host.',
    )
    .action(() => {
      const { inside, why } = detectSandbox(io.env);
      say(io.stdout, `${inside ? 'a sandbox' : 'no sandbox'}: ${why}`);
      done(inside ? exitCodes.ok : 1);
    });

/** `interlock rpc`: agents that share only a folder with this machine. */
export const declare: CommandModule['declare'] = (io, done) => {
  const command = new Command('rpc')
    .description(
      'An agent in a container or a virtual machine asks through files in a shared folder, and gets its answers there. docs/shared-folder.md has the whole of it.',
    )
    .addHelpText(
      'after',
      `
Examples:
  interlock rpc install ~/boxes/shared
  interlock agents add box --deliver ~/boxes/home --mounted-at /work
  interlock rpc status`,
    );
  for (const make of [installCommand, uninstallCommand, statusCommand, drainCommand, detectCommand])
    command.addCommand(make(io, done));
  return command;
};
