import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { toolRunner } from '../../../runner/cli/service/manager.ts';
import type { RunTool } from '../../../runner/cli/service/manager.ts';
import { systemService } from '../../../runner/cli/service/system-manager.ts';
import type { SystemNames } from '../../../runner/cli/service/system-plan.ts';
import { systemPath } from '../../../runner/cli/service/system-plan.ts';

const packageRoot = fileURLToPath(new URL('../../../', import.meta.url));
const cli = join(packageRoot, 'dist/runner/cli/main.js');

/** Why real users cannot be made here, or null where they can. */
export function whyNotHere(): string | null {
  if (process.platform !== 'linux') return 'this is not Linux';
  if (process.geteuid?.() !== 0) return 'this is not run as root';
  const missing = ['useradd', 'userdel', 'groupadd', 'groupdel', 'usermod', 'setpriv', 'runuser'];
  const gone = missing.find((tool) => spawnSync(tool, ['--help']).error !== undefined);
  if (gone !== undefined) return `there is no ${gone}`;
  if (spawnSync('id', ['interlock']).status === 0) return 'this machine has a runner of its own';
  const nobody = ['--reuid=65534', '--clear-groups', 'test', '-r', cli];
  return spawnSync('setpriv', nobody).status === 0 ? null : `other users cannot read ${cli}`;
}

export interface Ran {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

/** Real users of this machine, made for one test and removed after it. */
export interface SystemWorld {
  readonly names: SystemNames;
  readonly service: ReturnType<typeof systemService>;
  /** Calls of systemctl, which is the one thing that is not real here. */
  readonly systemctl: readonly string[];
  /** Makes a user, in the group of those who may knock or not. */
  user(letter: string, isMember: boolean): string;
  uidOf(name: string): number;
  /** The command line, as this user, through the shared socket. */
  asGuest(name: string, ...args: readonly string[]): Ran;
  /** The command line, as the runner's user, on its own home. */
  asOwner(...args: readonly string[]): Ran;
  /** Starts the runner as the unit does, and waits until it listens. */
  start(): Promise<{ readonly stop: () => Promise<number | null>; readonly log: () => string }>;
}

export function systemWorld(): SystemWorld {
  const place = mkdtempSync(join(tmpdir(), 'il-sys-'));
  chmodSync(place, 0o755);
  const id = String(process.pid);
  const names: SystemNames = {
    // The one name whose folders clients trust besides their own and root's.
    account: 'interlock',
    group: `il-g-${id}`,
    folder: join(place, 'home'),
    socket: join(place, 'run', 'runner.sock'),
    unitFile: join(place, 'interlock-runner.service'),
  };
  const made: string[] = [names.account];
  const must = (tool: string, ...args: readonly string[]): string => {
    const { status, stdout, stderr, error } = spawnSync(tool, [...args], { encoding: 'utf8' });
    if (status === 0) return stdout.trim();
    throw new Error(`${tool} ${args.join(' ')} failed: ${error?.message ?? stderr}`);
  };
  onTestFinished(() => {
    for (const name of made) spawnSync('userdel', [name]);
    spawnSync('groupdel', [names.group]);
    rmSync(place, { recursive: true, force: true });
  });
  const systemctl: string[] = [];
  const real = toolRunner({ PATH: systemPath, LC_ALL: 'C' });
  const run: RunTool = async (tool, args) => {
    if (tool !== 'systemctl') return real(tool, args);
    systemctl.push(args.join(' '));
    return { ok: true, missing: false, said: 'active' };
  };
  const as = (name: string, env: Readonly<Record<string, string>>): readonly string[] => [
    `--reuid=${name}`,
    `--regid=${name}`,
    '--init-groups',
    '--no-new-privs',
    '--reset-env',
    'env',
    '-i',
    `PATH=${systemPath}`,
    ...Object.entries(env).map(([key, value]) => `${key}=${value}`),
    process.execPath,
    cli,
  ];
  const home = join(names.folder, '.interlock');
  const ownerEnv = { HOME: names.folder, INTERLOCK_HOME: home };
  const call = (
    name: string,
    env: Readonly<Record<string, string>>,
    args: readonly string[],
  ): Ran => {
    const all = [...as(name, env), ...args];
    const { status, stdout, stderr } = spawnSync('setpriv', all, { encoding: 'utf8', cwd: '/' });
    return { status, out: stdout, err: stderr };
  };

  return {
    names,
    systemctl,
    service: systemService({
      run,
      names,
      packageRoot,
      node: process.execPath,
      uid: 0,
      isDryRun: false,
      requireRooted: () => undefined,
    }),
    user: (letter, isMember) => {
      const name = `il-${letter}-${id}`;
      made.push(name);
      must('useradd', '--system', '--user-group', '--no-create-home', name);
      if (isMember) must('usermod', '--append', '--groups', names.group, name);
      return name;
    },
    uidOf: (name) => Number(must('id', '-u', name)),
    asGuest: (name, ...args) =>
      call(name, { HOME: '/nonexistent', INTERLOCK_SOCKET: names.socket }, args),
    asOwner: (...args) => call(names.account, ownerEnv, args),
    start: async () => {
      const folder = join(place, 'run');
      mkdirSync(folder, { mode: 0o750 });
      chownSync(
        folder,
        Number(must('id', '-u', names.account)),
        Number(must('id', '-g', names.account)),
      );
      const child = spawn('setpriv', [...as(names.account, ownerEnv), 'runner'], { cwd: '/' });
      let log = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        log += text;
      });
      const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
      const stop = async (): Promise<number | null> => {
        if (child.exitCode === null) child.kill('SIGTERM');
        return ended;
      };
      onTestFinished(async () => void (await stop()));
      await new Promise<void>((resolve, reject) => {
        child.stdout.once('data', () => resolve());
        child.once('close', () => reject(new Error(`the runner ended: ${log}`)));
      });
      return { stop, log: () => log };
    },
  };
}

export function configOf({ names }: Pick<SystemWorld, 'names'>): unknown {
  return JSON.parse(readFileSync(join(names.folder, '.interlock', 'config.json'), 'utf8'));
}
