import { unitName } from '../../../../shared/node/service/places.ts';
import { systemdUnit } from '../systemd-unit.ts';
import type { SystemNames } from './names.ts';
import type { Step } from './step.ts';

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
export function systemUnit({ names, template, node, cli }: InstallPlanOptions): string {
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
