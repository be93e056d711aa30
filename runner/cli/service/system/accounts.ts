import { CliError } from '../../failure.ts';
import type { RunTool } from '../manager.ts';

/** What the machine says of users and groups, through `getent`: also of those who are not in /etc/passwd. */
export interface Accounts {
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
  throw new CliError(`"${name}" is no name of a user or group.`, 'Write it as "id -un" prints it.');
}
