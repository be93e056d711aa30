import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { machineSocket, writeFileAtomic } from '../../../shared/home/index.ts';
import { machineUnitFile, unitName } from '../../../shared/operations/index.ts';
import { CliError } from '../failure.ts';
import type { RunTool } from './manager.ts';
import { systemdUnit } from './systemd.ts';

/** What the service of the whole machine is called, and where its things are. */
export interface SystemNames {
  /** The runner's own user and group. */
  readonly account: string;
  /** The group whose members may knock at the shared socket. */
  readonly group: string;
  /** Home folder of that user; its INTERLOCK_HOME is the usual `.interlock` in it. */
  readonly folder: string;
  readonly socket: string;
  readonly unitFile: string;
}

export const systemNames: SystemNames = {
  account: 'interlock',
  group: 'interlock-users',
  folder: '/var/lib/interlock',
  socket: machineSocket,
  unitFile: machineUnitFile,
};

/** One thing that an installation does: told as it is with `--dry-run`, else done. */
export type Step =
  | {
      readonly kind: 'run';
      readonly tool: string;
      readonly args: readonly string[];
      /** The next step comes in either case. */
      readonly mayFail?: true;
    }
  | { readonly kind: 'write'; readonly path: string; readonly text: string }
  | { readonly kind: 'remove'; readonly path: string }
  | { readonly kind: 'folder'; readonly path: string; readonly account: string };

/** A step in words; commands as their words, each quoted where a shell would need it. */
export function stepLines(step: Step): readonly string[] {
  if (step.kind === 'run') return [`run     ${[step.tool, ...step.args].map(shown).join(' ')}`];
  if (step.kind === 'folder') return [`make    ${step.path}  (0700, ${step.account})`];
  if (step.kind === 'remove') return [`remove  ${step.path}`];
  const lines = step.text.trimEnd().split('\n');
  return [
    `write   ${step.path}  (0644, root)`,
    ...lines.map((line) => `        ${line}`.trimEnd()),
  ];
}

interface DoOptions {
  readonly run: RunTool;
  /** The ids of an account that an earlier step may have made. */
  readonly idsOf: (account: string) => Promise<{ readonly uid: number; readonly gid: number }>;
}

/** Does one step, or throws a `CliError` that names it. */
export async function doStep(step: Step, { run, idsOf }: DoOptions): Promise<void> {
  if (step.kind === 'run') {
    const { ok, missing, said } = await run(step.tool, step.args);
    if (ok || step.mayFail === true) return;
    const line = [step.tool, ...step.args].map(shown).join(' ');
    throw new CliError(
      missing ? `${step.tool} is not on this machine.` : `${line} failed: ${said}`,
      'What was done until then stays. Put that right and install again: it is safe to repeat.',
    );
  }
  if (step.kind === 'write') {
    const before = existsSync(step.path) ? readFileSync(step.path, 'utf8') : null;
    if (before !== step.text) writeFileAtomic(step.path, step.text, { mode: 0o644 });
  } else if (step.kind === 'remove') rmSync(step.path, { force: true });
  else makeFolder(step.path, await idsOf(step.account));
}

/** Its parent is root's, so nobody can put something else in its place in between. */
function makeFolder(
  path: string,
  { uid, gid }: { readonly uid: number; readonly gid: number },
): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const stats = lstatSync(path);
  if (!stats.isDirectory() || (stats.uid !== uid && stats.uid !== 0))
    throw new CliError(`${path} is not a folder of that user.`, 'Look at it, then move it away.');
  chownSync(path, uid, gid);
  chmodSync(path, 0o700);
}

function shown(word: string): string {
  return /^[\w./:=@%+,-]+$/u.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** What is on the machine already. */
export interface SystemFacts {
  readonly hasGroup: boolean;
  readonly hasAccount: boolean;
  /** The unit as it stands; null when there is none. */
  readonly unit: string | null;
}

export interface AllowedUser {
  readonly name: string;
  readonly uid: number;
}

export interface InstallPlanOptions {
  readonly names: SystemNames;
  readonly facts: SystemFacts;
  readonly users: readonly AllowedUser[];
  /** Text of the unit's template. */
  readonly template: string;
  /** Absolute paths of the engine and of the command line. */
  readonly node: string;
  readonly cli: string;
}

/** After a crash loop, systemd starts nothing until it is told so. It fails for a unit at rest. */
const forgetCrashes: Step = {
  kind: 'run',
  tool: 'systemctl',
  args: ['reset-failed', unitName],
  mayFail: true,
};

/** Where commands of a service are looked for; nobody's session has a say in it. */
export const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Everything that an installation does, in order. Pure. */
export function installPlan(options: InstallPlanOptions): readonly Step[] {
  const { names, facts, users } = options;
  const { account, group, folder } = names;
  const run = (tool: string, ...args: readonly string[]): Step => ({ kind: 'run', tool, args });
  const comment = 'Interlock runner';
  const shell = '/usr/sbin/nologin';
  const own = ['--system', '--user-group', '--no-create-home', '--home-dir', folder];
  const unit = systemUnit(options);
  return [
    ...(facts.hasGroup ? [] : [run('groupadd', '--system', group)]),
    ...(facts.hasAccount
      ? []
      : [run('useradd', ...own, '--shell', shell, '--comment', comment, account)]),
    ...[account, ...users.map(({ name }) => name)].map((name) =>
      run('usermod', '--append', '--groups', group, name),
    ),
    { kind: 'folder', path: folder, account },
    asAccount(options, 'init', '--json'),
    asAccount(
      options,
      'service',
      'share',
      '--socket',
      names.socket,
      '--group',
      group,
      ...users.flatMap(({ uid }) => ['--uid', String(uid)]),
    ),
    { kind: 'write', path: names.unitFile, text: unit },
    run('systemctl', 'daemon-reload'),
    ...(facts.unit === null ? [] : [forgetCrashes]),
    run('systemctl', 'enable', '--now', unitName),
    ...(facts.unit === null ? [] : [run('systemctl', 'restart', unitName)]),
  ];
}

/** What stays is what a person may want to read: the policy and the record. Pure. */
export function uninstallPlan({ names }: Pick<InstallPlanOptions, 'names'>): readonly Step[] {
  const run = (...args: readonly string[]): Step => ({ kind: 'run', tool: 'systemctl', args });
  return [
    run('disable', '--now', unitName),
    { kind: 'remove', path: names.unitFile },
    run('daemon-reload'),
  ];
}

/** The unit with this machine's paths and names in it. */
function systemUnit({ names, template, node, cli }: InstallPlanOptions): string {
  const home = `${names.folder}/.interlock`;
  return systemdUnit(template, { node, cli, home, path: systemPath })
    .replace(/^User=.*$/mu, () => `User=${names.account}`)
    .replace(/^Group=.*$/mu, () => `Group=${names.account}`)
    .replace(/^SupplementaryGroups=.*$/mu, () => `SupplementaryGroups=${names.group}`);
}

/** A call of our own command line as the runner's user, in an environment of nobody's session. */
function asAccount({ names, node, cli }: InstallPlanOptions, ...args: readonly string[]): Step {
  const env = ['-i', `HOME=${names.folder}`, `PATH=${systemPath}`];
  return {
    kind: 'run',
    tool: 'runuser',
    args: ['-u', names.account, '--', '/usr/bin/env', ...env, node, cli, ...args],
  };
}
