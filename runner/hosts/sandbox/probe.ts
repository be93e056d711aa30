import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { findGroups } from './groups.ts';
import type { Groups } from './groups.ts';
import { encodePlan } from './message.ts';
import type { Entry, LaunchPlan } from './message.ts';
import { readReport } from './report.ts';
import type { Begun, Ended, Held } from './report.ts';

/** One thing that a sandbox needs or is better with. */
export interface Capability {
  readonly name: CapabilityName;
  /** For a person. */
  readonly title: string;
  readonly ok: boolean;
  /** What was found, or why it cannot be had. */
  readonly detail: string;
  /** What would mend it; null where nothing is amiss or nothing can be done. */
  readonly advice: string | null;
}

/** The names of Coop's probe, and what is ours besides. */
export type CapabilityName =
  | 'launcher'
  | 'user_namespaces'
  | 'network_namespaces'
  | 'landlock'
  | 'seccomp'
  | 'cgroups_v2'
  | 'cache_layers';

/** What this machine can do, found out by doing it. */
export interface SandboxProbe {
  /** Commands can run in a sandbox here. */
  readonly ok: boolean;
  /** Why not, in a sentence; null where they can. */
  readonly problem: string | null;
  readonly capabilities: readonly Capability[];
  readonly groups: Groups;
}

export interface ProbeOptions {
  /** Absolute path of the launcher. */
  readonly launcher: string;
  readonly uid: number;
  readonly platform?: NodeJS.Platform;
}

/** Launches an empty command for real, once plainly and once with a layer over a folder. */
export async function probeSandbox(options: ProbeOptions): Promise<SandboxProbe> {
  const { launcher, uid, platform = process.platform } = options;
  const groups = findGroups(uid, platform);
  if (platform !== 'linux') return without(groups, 'The sandbox needs a Linux kernel.');
  if (!existsSync(launcher))
    return without(
      groups,
      'Its launcher was not built: no C compiler was there, and none came with the package.',
    );
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'interlock-sandbox-')));
  try {
    const tried = await launchOnce(launcher, planOf(folder, uid, []));
    if (!tried.begun.ok) return withoutStep(groups, tried.begun);
    const { held } = tried.begun;
    if (held === null || tried.ended?.exitCode !== 0)
      return without(groups, 'A first empty command did not end well in it.');
    const layer = await tryLayer(launcher, folder, uid);
    return { ok: true, problem: null, capabilities: found(held, groups, layer), groups };
  } finally {
    removeFolder(folder);
  }
}

/** The kernel leaves a folder without rights in the work folder of a layer. */
function removeFolder(folder: string): void {
  const left = join(folder, 'work', 'work');
  if (existsSync(left)) chmodSync(left, 0o700);
  rmSync(folder, { recursive: true, force: true });
}

const systemFolders = ['/usr', '/bin', '/lib', '/lib64'];

function planOf(folder: string, uid: number, more: readonly Entry[]): LaunchPlan {
  const entries = systemFolders.flatMap((path): Entry[] => {
    const source = existsSync(path) ? realpathSync(path) : null;
    return source === null ? [] : [{ kind: 'bind', target: path, source }];
  });
  return {
    mode: 'box',
    uid,
    gid: process.getegid?.() ?? uid,
    parent: process.pid,
    noNetwork: true,
    tells: false,
    limits: { processes: 0, memory: 0, fileSize: 0, cpuSeconds: 0, openFiles: 0 },
    cwd: '/',
    file: '/bin/sh',
    argv: ['sh', '-c', ': > /probe-folder/written'],
    env: {},
    entries: [
      ...entries,
      ...(more.length > 0
        ? more
        : [{ kind: 'bind', target: '/probe-folder', source: folder, writable: true } as const]),
    ],
    groups: [],
  };
}

async function tryLayer(launcher: string, folder: string, uid: number): Promise<string | null> {
  const [lower, upper, work] = ['lower', 'upper', 'work'].map((name) => join(folder, name));
  if (lower === undefined || upper === undefined || work === undefined) return null;
  for (const path of [lower, upper, work]) mkdirSync(path, { mode: 0o700 });
  const overlay = { kind: 'overlay', target: '/probe-folder', lower, upper, work } as const;
  const { begun, ended } = await launchOnce(launcher, planOf(folder, uid, [overlay]));
  if (!begun.ok) return `${begun.step}: ${begun.error}`;
  if (ended?.exitCode !== 0 || existsSync(join(lower, 'written'))) return 'it does not hold';
  return null;
}

interface Tried {
  readonly begun: Begun;
  readonly ended: Ended | null;
}

async function launchOnce(launcher: string, plan: LaunchPlan): Promise<Tried> {
  const stdio = ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] as const;
  const child = spawn(launcher, [], { cwd: '/', env: {}, stdio: [...stdio], shell: false });
  const failed = new Promise<Tried>((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) =>
      resolve({ begun: { ok: false, step: 'spawn', error: error.code ?? 'unknown' }, ended: null }),
    );
  });
  const wire = child.stdio[3] as Writable | null;
  const answers = child.stdio[4] as Readable | null;
  if (wire === null || answers === null) return failed;
  wire.on('error', () => {});
  wire.end(encodePlan(plan));
  const report = readReport(answers);
  const done = Promise.all([report.begun, report.ended]).then(([begun, ended]) => ({
    begun,
    ended,
  }));
  return Promise.race([failed, done]);
}

function without(groups: Groups, problem: string): SandboxProbe {
  const detail = problem.replace(/\.$/, '');
  const capability = {
    name: 'launcher',
    title: 'Launcher',
    ok: false,
    detail,
    advice: null,
  } as const;
  return { ok: false, problem, capabilities: [capability], groups };
}

/** What the kernel refused says what is switched off here. */
function withoutStep(
  groups: Groups,
  { step, error }: Begun & { readonly ok: false },
): SandboxProbe {
  const advice = adviceOn(step, error);
  return {
    ok: false,
    problem: `The kernel does not let this user build one (${step}: ${error}).`,
    capabilities: [
      {
        name: step === 'loopback' ? 'network_namespaces' : 'user_namespaces',
        title: step === 'loopback' ? 'A network of its own' : 'Namespaces without root',
        ok: false,
        detail: `${step}: ${error}`,
        advice,
      },
    ],
    groups,
  };
}

function adviceOn(step: string, error: string): string | null {
  if (error === 'ENOSPC')
    return 'Raise the limit: sysctl user.max_user_namespaces=15000, kept in /etc/sysctl.d.';
  if (step === 'namespaces' && error === 'EPERM')
    return isOff('/proc/sys/kernel/unprivileged_userns_clone')
      ? 'Switch it on: sysctl kernel.unprivileged_userns_clone=1, kept in /etc/sysctl.d.'
      : 'A container or its seccomp filter forbids it. Run the runner outside, or let the container make user namespaces.';
  if (existsSync('/proc/sys/kernel/apparmor_restrict_unprivileged_userns'))
    return 'AppArmor forbids it: give the launcher a profile of its own with "userns,". See docs/sandbox.md.';
  return null;
}

function isOff(path: string): boolean {
  try {
    return readFileSync(path, 'utf8').trim() === '0';
  } catch {
    return false;
  }
}

function found({ held, missing, landlock }: Held, groups: Groups, layer: string | null) {
  const why = (name: string): string => missing.find((each) => each.startsWith(name)) ?? 'not held';
  const capability = (
    name: CapabilityName,
    title: string,
    isThere: boolean,
    detail: string,
    advice: string | null = null,
  ): Capability => ({ name, title, ok: isThere, detail, advice: isThere ? null : advice });
  return [
    capability('user_namespaces', 'Namespaces and a root of its own', true, 'launched for real'),
    capability(
      'network_namespaces',
      'A network of its own',
      held.includes('no-network'),
      held.includes('no-network') ? 'only its own loopback' : why('no-network'),
    ),
    capability(
      'landlock',
      'Landlock',
      held.includes('landlock'),
      held.includes('landlock') ? `version ${landlock}` : why('landlock'),
      'The mounts hold without it. Kernels from 5.13 have it, where it is in the list of security modules.',
    ),
    capability(
      'seccomp',
      'Filter of system calls',
      held.includes('filter'),
      held.includes('filter') ? 'loaded' : why('filter'),
    ),
    capability(
      'cgroups_v2',
      'Control groups',
      groups.ok,
      groups.ok ? `${groups.kind}, memory and processes` : groups.problem,
      'Limits hold for each process alone. As a service (interlock service install) the runner has a group of its own.',
    ),
    capability(
      'cache_layers',
      'Layers over caches',
      layer === null,
      layer ?? 'tried',
      'Caches of package managers begin empty in each command.',
    ),
  ];
}
