import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Host, HostTask } from '../../../../runner/hosts/host.ts';
import { findBubblewrap } from '../../../../runner/hosts/sandbox/bubblewrap.ts';
import { sandboxHost } from '../../../../runner/hosts/sandbox/host.ts';
import type { SandboxHostOptions } from '../../../../runner/hosts/sandbox/host.ts';
import { launcherPath } from '../../../../runner/hosts/sandbox/launch.ts';
import { probeSandbox } from '../../../../runner/hosts/sandbox/probe.ts';
import { packageRoot } from '../../../../runner/version.ts';
import { defaultConfig } from '../../../../shared/engine/index.ts';
import type { Rung, SandboxConfig } from '../../../../shared/engine/index.ts';
import { openFolderTrees } from '../../../../shared/home/index.ts';
import { systemClock } from '../../../../shared/home/clock.ts';
import { isAlive, run, shell, temporaryFolder } from '../support.ts';

const uid = process.geteuid?.() ?? -1;
export const launcher = launcherPath(packageRoot());
/** What this machine can do. */
export const machine = await probeSandbox({ launcher, uid });

/** Why no sandbox can be tried on this machine; null where it can. */
export const whyNot = machine.problem;
export const isRoot = uid === 0;
/** What one command may use is counted for all its processes together. */
export const hasGroups = machine.groups.ok;
/** Landlock ends signals and sockets by name. */
export const hasScopes = machine.capabilities.some(
  ({ name, detail }) => name === 'landlock' && Number(detail.replace('version ', '')) >= 6,
);

const byBubblewrap = whyNot === null && findBubblewrap() !== null;
/** What builds a sandbox: a box for each command, one for the commands of a session, bubblewrap. */
export type Kind = Rung | 'session';
/** Without Landlock none is kept for a session. */
const keepsBoxes = machine.capabilities.some(({ name, ok }) => name === 'landlock' && ok);
/** What can build a sandbox on this machine. */
export const rungs: readonly Kind[] = [
  'box',
  ...(keepsBoxes ? (['session'] as const) : []),
  ...(byBubblewrap ? (['bubblewrap'] as const) : []),
];

export interface BoxOptions extends Partial<SandboxHostOptions> {
  /** What builds it; absent: whatever this machine is best at. */
  readonly rung?: Kind;
  /** Whose the workspace is; ours where nothing is said. */
  readonly owner?: number;
  /** Where layers lie in the folder of the test. */
  readonly layersIn?: string;
  /** Makes something that stands in for the launcher, in the folder of the test. */
  readonly launcherIn?: (folder: string) => string;
  /** The same for bubblewrap. */
  readonly bubblewrapIn?: (folder: string) => string;
}

/** A folder with a workspace and a home of Interlock's, and a sandbox for them. */
export function box(settings: Partial<SandboxConfig> = {}, options: BoxOptions = {}) {
  const folder = temporaryFolder();
  const workspace = join(folder, 'work');
  const home = join(folder, 'interlock');
  for (const path of [workspace, home]) mkdirSync(path);
  const {
    owner = uid,
    layersIn = 'layers',
    launcherIn = () => launcher,
    rung,
    bubblewrapIn,
    ...others
  } = options;
  // Whoever works there has to get there.
  chmodSync(folder, 0o755);
  chownSync(workspace, owner, owner);
  const folders = openFolderTrees();
  const built = sandboxHost({
    folders,
    clock: systemClock,
    shell: '/bin/bash',
    environment: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: '/nowhere' },
    uid,
    launcher: launcherIn(folder),
    settings: () => ({ ...defaultConfig.sandbox, ...settings, workspaces: [workspace] }),
    ownHome: home,
    path: (process.env['PATH'] ?? '').split(':'),
    layersDirectory: join(folder, layersIn),
    ...(bubblewrapIn !== undefined && { bubblewrap: bubblewrapIn(folder) }),
    ...(rung !== undefined && {
      lookAround: async () => ({ ...machine, rung: rung === 'session' ? 'box' : rung }),
    }),
    ...others,
  });
  const inSession: Host['run'] = async (task, limits, io) =>
    built.run({ session: 'one', ...task }, limits, io);
  const host: Host = rung === 'session' ? { ...built, run: inSession } : built;
  onTestFinished(() => {
    host.stopStrays();
    folders.close();
  });
  return { folder, workspace, home, host };
}

let commands = 0;

/** A command with an id of its own, as the gate gives it one. */
export function command(text: string, cwd: string): HostTask {
  commands += 1;
  return { ...shell(text, cwd), id: `run-1-${process.pid}-${commands}` };
}

/** What shell text says and how it ends inside. */
export async function inside(host: Host, text: string, cwd: string, timeoutMs = 60_000) {
  const running = run(host, command(text, cwd), { timeoutMs, killAfterMs: 500 });
  const outcome = await running.ended;
  const { stdout, stderr } = running.output();
  return { ...outcome, stdout, stderr };
}

/** Compiles C for a test; the path of the program. */
export function compile(
  target: string,
  sources: readonly string[],
  flags: readonly string[] = [],
): string {
  const made = spawnSync('cc', [...flags, '-o', target, ...sources], { encoding: 'utf8' });
  if (made.status !== 0 || !existsSync(target)) throw new Error(made.stderr);
  return target;
}

/** Processes of this machine whose command line holds a word, and that run. */
export function processesWith(word: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(word) && isAlive(pid);
      } catch {
        return false;
      }
    });
}

/** Those of them that this very process has started; others may end while they are looked at. */
export function childrenWith(word: string): readonly number[] {
  return processesWith(word).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/status`, 'utf8').includes(`\nPPid:\t${process.pid}\n`);
    } catch {
      return false;
    }
  });
}

let words = 0;
/** A number of seconds that no other test sleeps. */
export function ownWord(): string {
  words += 1;
  return `87${process.pid}${words}`;
}
