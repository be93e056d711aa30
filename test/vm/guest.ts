import { equal, fail, ok } from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { people } from './image.ts';
import type { Person } from './image.ts';
import { hasKvm } from './machine.ts';
import type { Ended, Machine, RunOptions } from './machine.ts';

export const passphrase = 'correct horse battery';
export const unit = 'interlock-runner.service';

/** What the steps do in a machine that is up. Every shell text is a constant of the tests. */
export interface Guest {
  /** As root, by bash; throws when it fails. Gives the output without the last line break. */
  readonly sh: (text: string, options?: RunOptions) => Promise<string>;
  /** The same as one of the people, with a plain environment. */
  readonly as: (person: Person, text: string, options?: RunOptions) => Promise<string>;
  /** As one of the people, and however it ends. */
  readonly tryAs: (person: Person, text: string, options?: RunOptions) => Promise<Ended>;
  /** The command line as the runner's own user of the machine's service. */
  readonly asOwner: (text: string, options?: RunOptions) => Promise<Ended>;
  /** Opens a session as `login` does, through PAM, so that logind knows it. */
  readonly logIn: (person: Person) => Promise<void>;
  readonly logOut: (person: Person) => Promise<void>;
  /** Looks until it is so; gives up with `what`. */
  readonly eventually: (
    what: string,
    look: () => Promise<boolean>,
    patienceMs?: number,
  ) => Promise<void>;
}

export const sum = ({ stdout, stderr }: Ended): string => `${stdout}\n${stderr}`.trim();

/** Throws unless the text has it, and shows the text. */
export function has(text: string, wanted: string | RegExp): void {
  const found = typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text);
  ok(found, `expected ${String(wanted)} in: ${text.slice(-1_500)}`);
}

/** Throws when the text has it. */
export function lacks(text: string, unwanted: string): void {
  ok(!text.includes(unwanted), `did not expect ${unwanted} in: ${text.slice(-1_500)}`);
}

export function guestOf(machine: Machine): Guest {
  const patience = (ms: number): number => (hasKvm() ? ms : ms * 10);
  const must = (what: string, ended: Ended): string => {
    if (ended.code !== 0) fail(`${what}: ended with ${ended.code}: ${sum(ended).slice(-1_500)}`);
    return ended.stdout.trimEnd();
  };
  const runAs = async (
    person: Person,
    text: string,
    options: RunOptions | undefined,
  ): Promise<Ended> => {
    const home = `/home/${person}`;
    const variables = [
      `HOME=${home}`,
      `USER=${person}`,
      `LOGNAME=${person}`,
      'SHELL=/bin/bash',
      'PATH=/usr/local/bin:/usr/bin:/bin',
      `XDG_RUNTIME_DIR=/run/user/${people[person]}`,
    ];
    const start = ['runuser', '-u', person, '--', 'env', '-i', '-C', home, ...variables];
    return machine.run([...start, 'bash', '-c', text], options);
  };
  const sh: Guest['sh'] = async (text, options) =>
    must(text, await machine.run(['bash', '-c', text], options));
  return {
    sh,
    tryAs: runAs,
    as: async (person, text, options) => must(text, await runAs(person, text, options)),
    asOwner: async (text, options) =>
      machine.run(['sudo', '-u', 'interlock', '-H', 'bash', '-c', `cd; ${text}`], options),
    logIn: async (person) => {
      const how = ['-p', 'PAMName=login', '-p', `User=${person}`];
      const what = ['systemd-run', '--quiet', '--collect', `--unit=login-${person}`, ...how];
      must(`login of ${person}`, await machine.run([...what, 'sleep', 'infinity']));
      await eventually(`a session of ${person}`, async () =>
        (await sh('loginctl --no-legend list-sessions')).split(/\s+/u).includes(person),
      );
    },
    logOut: async (person) => void (await sh(`systemctl stop login-${person}`)),
    eventually,
  };

  async function eventually(
    what: string,
    look: () => Promise<boolean>,
    patienceMs = 30_000,
  ): Promise<void> {
    const end = Date.now() + patience(patienceMs);
    while (!(await look())) {
      if (Date.now() > end) fail(`not within ${patience(patienceMs) / 1_000} s: ${what}`);
      await delay(500);
    }
  }
}

/**
 * Throws unless the user owns what is below the unit's control group, the runner is alone in its
 * leaf, and a group beside it can be made and limited. Gives what is handed down.
 */
export async function checkGroups(
  guest: Guest,
  { path, owner, pid }: { readonly path: string; readonly owner: string; readonly pid: string },
): Promise<string> {
  const group = `/sys/fs/cgroup${path}`;
  const owned = [group, `${group}/cgroup.procs`, `${group}/cgroup.subtree_control`].join(' ');
  equal(await guest.sh(`stat -c %U ${owned} | sort -u`), owner);
  equal(await guest.sh(`cat ${group}/cgroup.procs`), '');
  has(await guest.sh(`cat ${group}/runner/cgroup.procs`), new RegExp(`^${pid}$`, 'mu'));
  const handed = await guest.sh(`cat ${group}/cgroup.subtree_control`);
  equal(handed, 'memory pids');
  has(await guest.sh(`cat ${group}/memory.max`), /^\d+$/mu);
  const make = `mkdir ${group}/try && echo 64M > ${group}/try/memory.max && echo 8 > ${group}/try/pids.max && rmdir ${group}/try`;
  await guest.sh(`runuser -u ${owner} -- bash -c '${make}'`);
  return `handed down: ${handed}`;
}

/** Puts the package of a disk where only root writes. */
export const installPackage = (disk: string): string =>
  `rm -rf /usr/local/lib/node_modules; mkdir -p /mnt/package; mount -o ro ${disk} /mnt/package; cp -a /mnt/package/lib /mnt/package/bin /usr/local/; umount /mnt/package`;

/** Types a passphrase at a terminal of its own, as often as it is asked for. */
export function atTerminal(command: string, times: number): string {
  const lines = Array.from({ length: times }, () => `sleep 4; echo '${passphrase}'`).join('; ');
  return `(${lines}; sleep 4) | SHELL=/bin/sh timeout 60 script -qec '${command}' /dev/null`;
}
