import { statSync } from 'node:fs';
import { Command, Option } from 'commander';
import {
  alternatives,
  hookFile,
  hosts,
  readSettings,
  whoRuns,
} from '../../../shared/agents/index.ts';
import type { AgentHost } from '../../../shared/agents/index.ts';
import { ownUid } from '../../../shared/home/index.ts';
import type { CommandModule } from '../command-table.ts';
import { addStarter, projectFolder, starterNames } from '../approvals/starter.ts';
import { openPolicy } from '../approvals/file.ts';
import { CliError } from '../failure.ts';
import { adviceFor } from '../install.ts';
import { apply, changes, diffOf } from '../install.ts';
import {
  copyOf,
  installing,
  installingManaged,
  lockFile,
  locking,
  managedFor,
  requireRoot,
} from '../install.ts';
import { ensureKey } from '../agent-keys.ts';
import { twice } from '../install.ts';
import { hostNamed, wantedFor } from '../install.ts';
import type { InstallOptions } from '../install.ts';
import { say } from '../io.ts';
import { hostOption, setAgentHost } from '../where.ts';
import type { FirstHost } from '../where.ts';
import type { Io } from '../io.ts';

interface Options extends InstallOptions {
  readonly project?: boolean;
  readonly managed?: boolean;
  readonly dryRun?: boolean;
  readonly starter?: string;
  readonly host?: FirstHost;
}

/** `interlock install HOST`: puts an agent behind the gate. */
export const declare: CommandModule['declare'] = (io, done) =>
  new Command('install')
    .description(
      'Adds the hook of Interlock to the settings of an agent host and makes a key for the agent. All else in the settings stays as it is; safe to repeat.',
    )
    .argument('<host>', alternatives(hosts))
    .option('--project', 'only for the current folder')
    .option('--managed', 'for everybody on this machine, where no project can override it (sudo)')
    .option('--dry-run', 'show what would change, and change nothing')
    .option('--agent <name>', 'whose key and rules hold; the name of the host when absent')
    .option('--decide-only', 'the agent runs allowed commands itself, in its own sandbox')
    .option('--tools <kinds>', 'of shell,edit,fetch,mcp; all when absent')
    .addOption(
      new Option('--starter <set>', 'begin with a set of rules for the current folder').choices([
        ...starterNames,
      ]),
    )
    .addOption(hostOption())
    .addHelpText('after', `\nExamples:\n${examples().join('\n')}`)
    .action(async (name: string, options: Options) => {
      for (const line of await install(name, options, io)) say(io.stdout, line);
      done(0);
    });

function examples(): readonly string[] {
  const [first = '', second = first, third = second] = hosts;
  return [
    `  interlock install ${first}`,
    `  interlock install ${second} --dry-run`,
    `  sudo interlock install ${first} --managed`,
    `  interlock install ${third} --project --agent ${third}-web --tools shell,edit`,
  ];
}

/** Settings of the machine. Keys are made by each person: those of root would be of no use to them. */
function installManaged(host: AgentHost, options: Options, io: Io): readonly string[] {
  const { write } = managedFor(host);
  const uid = ownUid();
  if (options.dryRun !== true) requireRoot(uid, write);
  const owner =
    options.dryRun === true ? (statSync(write, { throwIfNoEntry: false })?.uid ?? uid) : uid;
  const file = readSettings(write, { uid: owner, project: null });
  const plain = wantedFor(host, options, io);
  // Each person's own home, unless this one was named.
  const home = io.env['INTERLOCK_HOME'] === undefined ? null : plain.command.home;
  const wanted = { ...plain, command: { ...plain.command, home } };
  const change = installingManaged(file, wanted);
  const locked = lockFile(host, owner);
  const lock = locked === null ? null : locking(locked, host, true);
  if (options.dryRun === true)
    return [
      changes(change) ? diffOf(change) : `Nothing would change: ${write} has the hook.`,
      ...(lock === null ? [] : [diffOf(lock)]),
    ];
  // The lock last: without our hook it would keep every other one out for nothing.
  apply(change);
  if (lock !== null) apply(lock);
  return [
    ...(lock === null ? [] : [`Wrote ${lock.file.path}`]),
    changes(change) ? `Wrote ${write}` : `${write} was as it should be.`,
    `Behind the gate, for everybody here: ${wanted.tools.join(', ')}`,
    whoRuns(host, wanted.command.decideOnly),
    `Each person makes a key: interlock agents add ${wanted.command.agent}`,
  ];
}

async function install(name: string, options: Options, io: Io): Promise<readonly string[]> {
  const host = hostNamed(name);
  const wanted = wantedFor(host, options, io);
  const { starter } = options;
  if (starter !== undefined) {
    if (options.managed === true)
      throw new CliError(
        '--starter is for one person and one folder, and --managed is for everybody.',
        'Each person says in a project: interlock approvals starter add project',
      );
    projectFolder(undefined, io);
    openPolicy(io);
  }
  if (options.managed === true) return installManaged(host, options, io);
  const project = options.project === true ? io.cwd() : null;
  const uid = ownUid();
  const file = readSettings(hookFile(host, { env: io.env, project }), { uid, project });
  const change = installing(file, wanted);
  if (options.dryRun === true)
    return changes(change)
      ? [diffOf(change)]
      : [`Nothing would change: ${file.path} has the hook.`];
  const key = await ensureKey(io, wanted.command.agent);
  apply(change);
  const { agent } = wanted.command;
  const begun =
    starter === undefined ? [] : await addStarter({ starter, agent, folder: undefined }, io);
  // What the agent's own program runs is in no sandbox of ours.
  const where =
    wanted.command.decideOnly === true ? null : await setAgentHost(agent, options.host, io);
  return [
    changes(change) ? `Wrote ${file.path}` : `${file.path} was as it should be.`,
    ...(change.copy === 'make' ? [`As it was before: ${copyOf(file.path)}`] : []),
    `Behind the gate: ${wanted.tools.join(', ')}`,
    ...key,
    ...(where === null ? [] : [where]),
    ...begun,
    ...twice(host, project, io),
    ...adviceFor(wanted.command, io),
  ];
}
