import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfigFile } from '../../../shared/home/index.ts';
import { unitName } from '../../../shared/operations/index.ts';
import { CliError } from '../failure.ts';
import type { RunTool } from './manager.ts';
import { doStep, installPlan, stepLines, uninstallPlan } from './system-plan.ts';
import type { AllowedUser, InstallPlanOptions, Step, SystemNames } from './system-plan.ts';

/** What the machine says of users and groups, through `getent`: also of those who are not in /etc/passwd. */
interface Accounts {
  userOf(name: string): Promise<{ readonly uid: number; readonly gid: number } | null>;
  nameOf(uid: number): Promise<string | null>;
  groupOf(name: string): Promise<number | null>;
}

/** A name as `useradd` takes it; nothing that could be read as an option or a number. */
const plainName = /^[a-z_][a-z0-9_.-]{0,31}\$?$/u;

export function accountsThrough(run: RunTool): Accounts {
  const entry = async (database: 'passwd' | 'group', key: string): Promise<string[] | null> => {
    const { ok, missing, said } = await run('getent', [database, key]);
    if (missing) throw new CliError('getent is not on this machine.', 'Install it, then repeat.');
    return ok ? (said.split('\n')[0] ?? '').split(':') : null;
  };
  return {
    userOf: async (name) => {
      const fields = await entry('passwd', requirePlain(name));
      return fields === null ? null : { uid: Number(fields[2]), gid: Number(fields[3]) };
    },
    nameOf: async (uid) => (await entry('passwd', String(uid)))?.[0] ?? null,
    groupOf: async (name) => {
      const fields = await entry('group', requirePlain(name));
      return fields === null ? null : Number(fields[2]);
    },
  };
}

function requirePlain(name: string): string {
  if (plainName.test(name)) return name;
  throw new CliError(
    `"${name}" is not a name of a user or group.`,
    'Write it as "id -un" prints it.',
  );
}

interface SystemServiceOptions {
  readonly run: RunTool;
  readonly names: SystemNames;
  readonly packageRoot: string;
  readonly node: string;
  /** Who calls; only root may change anything. */
  readonly uid: number;
  readonly isDryRun: boolean;
  /** Throws unless only root can change what the service would run. */
  readonly requireRooted: (code: { readonly node: string; readonly packageRoot: string }) => void;
}

/** The runner as a service of the machine, as a user of its own. Each call answers sentences. */
export function systemService(options: SystemServiceOptions) {
  const { run, names, uid, isDryRun } = options;
  const accounts = accountsThrough(run);
  const carryOut = async (steps: readonly Step[]): Promise<readonly string[]> => {
    if (isDryRun) return ['This would be done:', ...steps.flatMap(stepLines)];
    requireRoot(uid);
    for (const step of steps) await doStep(step, { run, idsOf });
    return [];
  };
  const idsOf = async (account: string): Promise<{ uid: number; gid: number }> => {
    const ids = await accounts.userOf(account);
    if (ids === null) throw new CliError(`There is no user ${account}.`, 'Install again.');
    return ids;
  };
  const usersOf = async (wanted: readonly string[]): Promise<readonly AllowedUser[]> =>
    Promise.all(
      wanted.map(async (name) => {
        const user = await accounts.userOf(name);
        if (user !== null) return { name, uid: user.uid };
        throw new CliError(`There is no user "${name}" on this machine.`, 'See "getent passwd".');
      }),
    );

  return {
    /** `wanted`: names of those who may use it; at least one, else nobody could. */
    install: async (wanted: readonly string[]): Promise<readonly string[]> => {
      const users = await usersOf(wanted);
      if (users.length === 0)
        throw new CliError(
          'Nobody would be allowed to use it.',
          'Say who: interlock service install --system --allow-user NAME',
        );
      if (!isDryRun) {
        await requireSystemd(run);
        requireRoot(uid);
        options.requireRooted(options);
      }
      const plan = installPlan({
        ...programsOf(options),
        users,
        facts: {
          hasGroup: (await accounts.groupOf(names.group)) !== null,
          hasAccount: (await accounts.userOf(names.account)) !== null,
          unit: textOf(names.unitFile),
        },
      });
      const told = await carryOut(plan);
      return isDryRun ? told : installed(names, users);
    },
    uninstall: async (): Promise<readonly string[]> => {
      if (!existsSync(names.unitFile))
        return ['The service is not installed; nothing was changed.'];
      const told = await carryOut(uninstallPlan({ names }));
      return isDryRun
        ? told
        : [
            `Stopped, disabled, and removed ${names.unitFile}.`,
            `The policy and the log stay in ${names.folder}, and so does the user ${names.account}.`,
            `To be rid of them as well: userdel ${names.account}; groupdel ${names.group}; rm -r ${names.folder}`,
          ];
    },
    status: async (): Promise<readonly string[]> => {
      if (!existsSync(names.unitFile)) return ['not installed'];
      const account = await accounts.userOf(names.account);
      return [
        `installed  ${names.unitFile}`,
        `enabled    ${(await run('systemctl', ['is-enabled', unitName])).said}`,
        `active     ${(await run('systemctl', ['is-active', unitName])).said}`,
        `runs as    ${account === null ? `${names.account}, WHO IS NOT THERE` : `${names.account} (${String(account.uid)})`}`,
        `socket     ${names.socket}${existsSync(names.socket) ? '' : ', not there or not to be seen by you'}`,
        `open to    ${await openTo(account?.uid ?? null, names, accounts)}`,
      ];
    },
  };
}

/** Who may use it, by the settings of the account. */
async function openTo(
  owner: number | null,
  { folder }: SystemNames,
  accounts: Accounts,
): Promise<string> {
  const path = join(folder, '.interlock', 'config.json');
  const config = owner === null ? null : readConfigFile(path, { uid: owner });
  if (config === null || !config.ok || config.hash === null) return 'only root can tell';
  const uids = config.config.users.flatMap((user) => user.uid ?? []);
  const known = await Promise.all(
    uids.map(async (user) => `${(await accounts.nameOf(user)) ?? 'nobody we know'} (${user})`),
  );
  return known.length === 0 ? 'nobody' : known.join(', ');
}

function programsOf(
  options: SystemServiceOptions,
): Pick<InstallPlanOptions, 'names' | 'template' | 'node' | 'cli'> {
  const { names, packageRoot, node } = options;
  const template = join(packageRoot, 'assets', 'service', 'system', unitName);
  const cli = join(packageRoot, 'dist', 'runner', 'cli', 'main.js');
  return { names, node, cli, template: readFileSync(template, 'utf8') };
}

function installed(names: SystemNames, users: readonly AllowedUser[]): readonly string[] {
  const as = `sudo -u ${names.account} -H interlock`;
  return [
    `Wrote ${names.unitFile}; the runner is enabled and up, as the user ${names.account}.`,
    `May use it: ${users.map(({ name }) => name).join(', ')}. They log in again first, for the group ${names.group}.`,
    `The policy is its own: ${as} approvals allow -- git status`,
    `A person answers as that user: ${as} ui --console`,
    `A passphrase for "unlock" is still to be set: ${as} passphrase`,
    `Its log: journalctl -u ${unitName}`,
  ];
}

async function requireSystemd(run: RunTool): Promise<void> {
  const { ok, missing, said } = await run('systemctl', ['show-environment']);
  if (ok) return;
  throw new CliError(
    missing ? 'There is no systemd here.' : `systemd does not answer: ${said.split('\n')[0] ?? ''}`,
    'docs/service.md says what another service manager has to do.',
  );
}

function requireRoot(uid: number): void {
  if (uid === 0) return;
  throw new CliError(
    'Only root can do this.',
    'Run it with sudo, or with --dry-run to see what it would do.',
  );
}

function textOf(path: string): string | null {
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}
