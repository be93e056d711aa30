import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Host, HostTask } from '../../runner/hosts/host.ts';
import { localHost } from '../../runner/hosts/local.ts';
import { sandboxHost } from '../../runner/hosts/sandbox/host.ts';
import { canHold, holdLauncher } from '../../runner/hosts/sandbox/hold.ts';
import { createEngine, defaultConfig } from '../../shared/engine/index.ts';
import { baseEnvironment, openFolderTrees, openMachine } from '../../shared/home/index.ts';
import { systemClock } from '../../shared/home/clock.ts';

/** Median milliseconds of one command, for each way to start it; absent where it cannot be had. */
export interface SandboxFigures {
  readonly line: string;
  readonly bareMs: number;
  readonly heldMs: number | null;
  readonly boxMs: number | null;
  readonly sessionMs: number | null;
  readonly bubblewrapMs: number | null;
}

/** Changes the history, so that there is something to take over. */
const commitLine =
  'git -c user.name=n -c user.email=e commit --quiet --allow-empty --no-verify -m x';

const bubblewrap = '/usr/bin/bwrap';

/** `true` and `git status`, bare, held, in a sandbox and in bubblewrap with like mounts, in turns. */
export async function measureSandbox(
  launcher: string,
  rounds: number,
): Promise<readonly SandboxFigures[]> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'il-bench-')));
  const workspace = join(folder, 'work');
  mkdirSync(workspace);
  spawnSync('git', ['init', '-q', workspace]);
  const hosts = hostsFor(launcher, folder);
  try {
    const figures: SandboxFigures[] = [];
    for (const line of ['/usr/bin/true', 'git status --short', commitLine])
      figures.push(await measured(line, workspace, { ...hosts, rounds }));
    return figures;
  } finally {
    hosts.box.stopStrays();
    hosts.folders.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function hostsFor(launcher: string, folder: string) {
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin' };
  const machine = openMachine(env, process.geteuid?.() ?? -1);
  const environment = baseEnvironment(env);
  const folders = openFolderTrees();
  const common = { clock: systemClock, shell: machine.shell, environment };
  return {
    engine: createEngine(machine, () => defaultConfig),
    bare: localHost(common),
    held: canHold(launcher) ? localHost({ ...common, launcherOf: holdLauncher(launcher) }) : null,
    folders,
    box: sandboxHost({
      ...common,
      folders,
      uid: machine.uid,
      launcher,
      settings: () => ({ ...defaultConfig.sandbox, workspaces: [] }),
      ownHome: join(folder, 'home'),
      path: env.PATH.split(':'),
      layersDirectory: join(folder, 'layers'),
    }),
  };
}

async function measured(
  line: string,
  cwd: string,
  { engine, bare, held, box, rounds }: ReturnType<typeof hostsFor> & { readonly rounds: number },
): Promise<SandboxFigures> {
  const analysis = await engine.analyse({ command: line, cwd });
  if (!analysis.ok || analysis.plan.execution === null) throw new Error(`${line} is opaque`);
  const { plan } = analysis;
  const { execution } = plan;
  if (execution === null) throw new Error(`${line} runs nowhere`);
  const hold = engine.hold(plan);
  const plain: HostTask = { id: 'bench', agent: 'bench', execution, cwd, env: {} };
  const task: HostTask = engine.onlyLooks(plan) ? { ...plain, onlyLooks: true } : plain;
  const hasBox = (await box.probe()).ok;
  const wrapped = existsSync(bubblewrap) ? inBubblewrap(task) : null;
  const times = {
    bare: [] as number[],
    held: [] as number[],
    box: [] as number[],
    session: [] as number[],
    wrap: [] as number[],
  };
  for (let round = 0; round < rounds; round += 1) {
    times.bare.push(await once(bare, task));
    if (held !== null && hold !== null) times.held.push(await once(held, { ...task, hold }));
    const id = `bench-${round}-${line.length}`;
    if (hasBox) {
      times.box.push(await once(box, { ...task, id }));
      times.session.push(await once(box, { ...task, id: `${id}-s`, session: 'bench' }));
    }
    if (wrapped !== null) times.wrap.push(await once(bare, wrapped));
  }
  return {
    line,
    bareMs: median(times.bare) ?? NaN,
    heldMs: median(times.held),
    boxMs: median(times.box),
    sessionMs: median(times.session),
    bubblewrapMs: median(times.wrap),
  };
}

function inBubblewrap(task: HostTask): HostTask {
  if (task.execution.kind !== 'argv') throw new Error('only words are wrapped');
  const { file, argv } = task.execution;
  const how = `--unshare-user --disable-userns --unshare-pid --unshare-net --unshare-ipc --unshare-uts
    --unshare-cgroup-try --die-with-parent --new-session --cap-drop ALL --hostname sandbox
    --ro-bind /usr /usr --symlink usr/bin /bin --symlink usr/lib /lib --symlink usr/lib64 /lib64
    --proc /proc --dev /dev --tmpfs /tmp --bind ${task.cwd} ${task.cwd} --remount-ro / --chdir ${task.cwd}`;
  const words = ['bwrap', ...how.split(/\s+/), '--', file, ...argv.slice(1)];
  return { ...task, execution: { kind: 'argv', file: bubblewrap, argv: words } };
}

async function once(host: Host, task: HostTask): Promise<number> {
  const start = performance.now();
  const { exitCode } = await host.run(
    task,
    { timeoutMs: 60_000, killAfterMs: 1_000 },
    {
      stdin: null,
      signal: new AbortController().signal,
      started: () => undefined,
      output: () => undefined,
    },
  );
  if (exitCode !== 0) throw new Error(`${host.name} ended with ${String(exitCode)}`);
  return performance.now() - start;
}

function median(times: readonly number[]): number | null {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? null;
}
