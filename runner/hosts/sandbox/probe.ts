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
import type { Rung } from '../../../shared/engine/index.ts';
import type { PreparedLaunch } from '../launcher.ts';
import { bubblewrapLaunch, findBubblewrap } from './bubblewrap.ts';
import { findGroups } from './groups.ts';
import type { Groups } from './groups.ts';
import { rootFiles } from './root-files.ts';
import type { MacBuilder } from './mac.ts';
import { probeMac } from './mac-probe.ts';
import type { MacPrograms } from './mac-probe.ts';
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
type CapabilityName =
  | 'launcher'
  | 'user_namespaces'
  | 'network_namespaces'
  | 'landlock'
  | 'seccomp'
  | 'cgroups_v2'
  | 'cache_layers'
  | 'builder';

/** What this machine can do, found out by doing it. */
export interface SandboxProbe {
  /** Commands can run in a sandbox here. */
  readonly ok: boolean;
  /** Why not, in a sentence; null where they can. */
  readonly problem: string | null;
  /** What builds it here; null where nothing can. */
  readonly rung: Rung | null;
  /** Why what is better does not, the best first. */
  readonly failed: readonly FailedRung[];
  readonly capabilities: readonly Capability[];
  readonly groups: Groups;
  /** What builds it on macOS. */
  readonly mac?: MacBuilder;
}

/** Why no command that nobody was asked about can run in it, as a sentence; null where it can. */
export function unaskedProblem({ problem, rung }: SandboxProbe): string | null {
  if (problem !== null || rung === null || rung === 'box') return problem;
  const what = { bubblewrap: 'bubblewrap', seatbelt: 'Seatbelt', container: 'apple/container' };
  return `Only ${what[rung]} builds boxes here, and those are for what was allowed.`;
}

/** What could not build a sandbox here. */
export interface FailedRung {
  readonly rung: Rung;
  /** Which step failed, and the name of the error or the program's own words. */
  readonly step: string;
  readonly error: string;
  /** What would mend it; null where nothing is known to. */
  readonly advice: string | null;
}

export interface ProbeOptions {
  /** Absolute path of the launcher. */
  readonly launcher: string;
  readonly uid: number;
  readonly platform?: NodeJS.Platform;
  /** Absolute path of bubblewrap, null for none; absent: looked for. */
  readonly bubblewrap?: string | null;
  /** Stands in for the launcher where it builds the box itself; for tests. */
  readonly boxLauncher?: string;
  /** On macOS: the image of a virtual machine, null for none; and the programs, where not the system's. */
  readonly image?: string | null;
  readonly macPrograms?: MacPrograms;
}

/**
 * Launches an empty command for real, by what builds the best box first; in a box of our own also
 * with a layer over a folder.
 */
export async function probeSandbox(options: ProbeOptions): Promise<SandboxProbe> {
  const { launcher, uid, platform = process.platform } = options;
  const groups = findGroups(uid, platform);
  if (platform === 'darwin') return probeMac(groups, options);
  if (platform !== 'linux') return without(groups, 'The sandbox needs a Linux kernel, or macOS.');
  if (!existsSync(launcher))
    return without(
      groups,
      'Its launcher was not built: no C compiler was there, and none came with the package.',
    );
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'interlock-sandbox-')));
  try {
    const first = planOf(folder, uid, []);
    const file = options.boxLauncher ?? launcher;
    const box = await launchOnce({ file, plan: encodePlan(first) });
    if (box.begun.ok) {
      if (!endedWell(box)) return without(groups, endedBadly);
      const layer = await tryLayer(file, folder, uid);
      const capabilities = found(box.begun.held, groups, layer);
      return { ok: true, problem: null, rung: 'box', failed: [], capabilities, groups };
    }
    const failed = [failedRung('box', box.begun)];
    const program = options.bubblewrap === undefined ? findBubblewrap() : options.bubblewrap;
    if (program === null) return withoutRungs(groups, [...failed, noBubblewrap]);
    const facts = (path: string) => rootFiles().facts(path);
    const tried = await launchOnce(bubblewrapLaunch(first, { program, launcher, facts }));
    if (!tried.begun.ok)
      return withoutRungs(groups, [...failed, failedRung('bubblewrap', tried.begun, tried.words)]);
    if (!endedWell(tried)) return without(groups, endedBadly);
    const layer = 'bubblewrap lays none';
    const capabilities = found(tried.begun.held, groups, layer, failed);
    return { ok: true, problem: null, rung: 'bubblewrap', failed, capabilities, groups };
  } finally {
    removeFolder(folder);
  }
}

const endedBadly = 'A first empty command did not end well in it.';

function endedWell({ begun, ended }: Tried): boolean {
  return begun.ok && begun.held !== null && ended?.exitCode === 0;
}

const noBubblewrap: FailedRung = {
  rung: 'bubblewrap',
  step: 'program',
  error: 'ENOENT',
  advice: 'Install bubblewrap: some systems let it make namespaces, and nobody else.',
};

function failedRung(
  rung: Rung,
  { step, error }: Begun & { readonly ok: false },
  words = '',
): FailedRung {
  const said = words.replace(/^bwrap: /, '').split('\n')[0] ?? '';
  return { rung, step, error: said === '' ? error : said, advice: adviceOn(step, error) };
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
  const plan = encodePlan(planOf(folder, uid, [overlay]));
  const { begun, ended } = await launchOnce({ file: launcher, plan });
  if (!begun.ok) return `${begun.step}: ${begun.error}`;
  if (ended?.exitCode !== 0 || existsSync(join(lower, 'written'))) return 'it does not hold';
  return null;
}

interface Tried {
  readonly begun: Begun;
  readonly ended: Ended | null;
  /** What was written to standard error. */
  readonly words: string;
}

async function launchOnce({ file, args = [], plan, more = [] }: PreparedLaunch): Promise<Tried> {
  const further = more.map(() => 'pipe' as const);
  const stdio = ['ignore', 'ignore', 'pipe', 'pipe', 'pipe', 'ignore', ...further] as const;
  const child = spawn(file, args, { cwd: '/', env: {}, stdio: [...stdio], shell: false });
  const failed = new Promise<Tried>((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) =>
      resolve({
        begun: { ok: false, step: 'spawn', error: error.code ?? 'unknown' },
        ended: null,
        words: '',
      }),
    );
  });
  const answers = child.stdio[4] as Readable | null;
  if (answers === null) return failed;
  [plan, ...more].forEach((bytes, index) => {
    const wire = child.stdio[index === 0 ? 3 : 5 + index] as Writable | null;
    wire?.on('error', () => {});
    wire?.end(bytes);
  });
  const report = readReport(answers);
  const words = textOf(child.stderr);
  const done = Promise.all([report.begun, report.ended, words]).then(([begun, ended, said]) => ({
    begun,
    ended,
    words: said,
  }));
  return Promise.race([failed, done]);
}

async function textOf(stream: Readable | null): Promise<string> {
  let text = '';
  stream?.setEncoding('utf8');
  for await (const part of (stream ?? []) as AsyncIterable<string>)
    if (text.length < 4_096) text += part;
  return text;
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
  return { ok: false, problem, rung: null, failed: [], capabilities: [capability], groups };
}

/** What the kernel refused says what is switched off here. */
function withoutRungs(groups: Groups, failed: readonly FailedRung[]): SandboxProbe {
  const said = failed.map(({ rung, step, error }) => `${rung}: ${step}: ${error}`).join('; ');
  return {
    ok: false,
    problem: `The kernel does not let this user build one (${said}).`,
    rung: null,
    failed,
    capabilities: failed.map(({ rung, step, error, advice }) => ({
      name:
        rung === 'bubblewrap'
          ? 'builder'
          : step === 'loopback'
            ? 'network_namespaces'
            : 'user_namespaces',
      title:
        rung === 'bubblewrap'
          ? 'Bubblewrap in its place'
          : step === 'loopback'
            ? 'A network of its own'
            : 'Namespaces without root',
      ok: false,
      detail: `${step}: ${error}`,
      advice,
    })),
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

function found(
  report: Held | null,
  groups: Groups,
  layer: string | null,
  failed: readonly FailedRung[] = [],
) {
  const { held, missing, landlock } = report ?? { held: [], missing: [], landlock: 0 };
  const [better] = failed;
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
    ...(better === undefined
      ? []
      : [
          capability(
            'builder',
            'Built by our own launcher',
            false,
            `bubblewrap builds it, because of ${better.step}: ${better.error}`,
            better.advice,
          ),
        ]),
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
