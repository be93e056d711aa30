import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { namedBoxes } from '../../runner/boxes/boxes.ts';
import type { NamedBoxes } from '../../runner/boxes/boxes.ts';
import { boxRuntime } from '../../runner/boxes/kept.ts';
import { boxLocks } from '../../runner/boxes/locks.ts';
import { openBoxRecords } from '../../runner/boxes/record.ts';
import { launcherPath } from '../../runner/hosts/sandbox/launch.ts';
import { packageRoot } from '../../runner/version.ts';
import { defaultConfig } from '../../shared/engine/index.ts';
import { homePaths, ownUid, systemClock } from '../../shared/home/index.ts';

/** What named boxes cost, beside containers of the same files. Medians, in milliseconds. */
export interface BoxFigures {
  /** Until a program runs in it: `box up` to the prompt of a shell in tmux, the others to a line of a shell. */
  readonly starts: readonly { readonly way: string; readonly ms: number | string }[];
  /** Memory of that many idle boxes, all processes together, shared pages by halves; in bytes. */
  readonly idle: { readonly boxes: number; readonly bytes: number };
}

const idleBoxes = 20;
const line = ['/bin/sh', '-c', 'echo ready'] as const;
const podman =
  'podman run --rm --network none --cgroups disabled --ulimit nofile=1024:1024 --ulimit nproc=1024:1024 --rootfs /:O';
const nspawn =
  'systemd-nspawn -q --register=no --keep-unit --volatile=yes --private-network -M interlock-bench -D / --pipe';
/** podman's own runtime refuses the two kinds of control groups beside each other, so it sees one. */
const second = '/sys/fs/cgroup/unified';
const oneKind = ['unshare', '-m', 'sh', '-c', 'umount "$0"; exec "$@"', second];
const others: readonly (readonly [string, readonly string[]])[] = [
  ['podman run, this root', [...(existsSync(second) ? oneKind : []), ...podman.split(' ')]],
  ['systemd-nspawn, this root', nspawn.split(' ')],
];
const commandLine = join(packageRoot(), 'dist/runner/cli/main.js');

/** Starts each as often, in turns, so that what else the machine does falls on all. */
export async function measureBoxes(rounds: number): Promise<BoxFigures> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'il-bench-')));
  const { boxes, keepers, home } = open(folder);
  const cli = (...args: readonly string[]): string | null =>
    failureOf([process.execPath, commandLine, 'box', ...args], '', { INTERLOCK_HOME: home });
  const workspace = join(folder, 'work');
  const request = { templateName: 'isolated', workspace };
  const times = new Map<string, number[]>();
  const failed = new Map<string, string>();
  const took = (way: string, since: number): void =>
    void times.set(way, [...(times.get(way) ?? []), performance.now() - since]);
  try {
    for (let round = 0; round <= rounds; round += 1) {
      const since = performance.now();
      await boxes.up({ ...request, name: 'one' });
      await prompt(boxes, 'one');
      took('interlock box up', since);
      await boxes.down('one');
      const started = performance.now();
      requireNone(cli('up', 'two', '--template', 'isolated', '--workspace', workspace));
      await prompt(boxes, 'two');
      took('the same, from the start of the command line', started);
      requireNone(cli('down', 'two'));
      for (const [way, words] of others) {
        if (failed.has(way)) continue;
        const begun = performance.now();
        const failure = failureOf([...words, ...line], 'ready');
        if (failure === null) took(way, begun);
        else failed.set(way, failure);
      }
    }
    const names = Array.from({ length: idleBoxes }, (_, at) => `idle-${String(at)}`);
    for (const name of names) await boxes.up({ ...request, name });
    for (const name of names) await prompt(boxes, name);
    const bytes = memoryOf([...keepers(), ...writers()]);
    for (const name of names) await boxes.down(name);
    const ways = [
      'interlock box up',
      'the same, from the start of the command line',
      ...others.map(([way]) => way),
    ];
    return {
      // The first of each fills caches.
      starts: ways.map((way) => ({
        way,
        ms: failed.get(way) ?? median((times.get(way) ?? []).slice(1)),
      })),
      idle: { boxes: idleBoxes, bytes },
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function open(folder: string) {
  const uid = ownUid();
  const paths = homePaths({ INTERLOCK_HOME: join(folder, 'home') });
  mkdirSync(join(folder, 'work'));
  mkdirSync(paths.stateDirectory, { recursive: true, mode: 0o700 });
  const env = { INTERLOCK_HOME: paths.home };
  requireNone(failureOf([process.execPath, commandLine, 'init'], '', env));
  const records = openBoxRecords(paths.boxesDirectory, uid);
  const launcher = launcherPath(packageRoot());
  const keys = new Set<string>();
  const add = async (name: string) =>
    Promise.resolve((keys.add(name), { name, keyFile: `/keys/${name}` }));
  const boxes = namedBoxes({
    clock: systemClock,
    uid,
    paths,
    env: process.env,
    launcher,
    records,
    runtime: boxRuntime(records, { launcher, uid }),
    config: () => defaultConfig,
    principals: {
      list: () => [...keys].map((name) => ({ name, createdAt: 0, keyedAt: 0 })),
      add,
      rekey: add,
      clear: async (name) => Promise.resolve(void keys.delete(name)),
    },
    locks: boxLocks(records, uid),
    requireOpen: () => undefined,
    fresh: async () => Promise.resolve(),
    secret: async () => Promise.resolve(null),
    progress: () => undefined,
  });
  const keepers = (): readonly number[] =>
    records.names().flatMap((name) => records.read(name)?.keeper?.pid ?? []);
  return { boxes, keepers, home: paths.home };
}

/** Settles once the first window of a box shows something. */
async function prompt(boxes: NamedBoxes, name: string): Promise<void> {
  for (;;) {
    const argv = ['tmux', '-L', 'interlock', 'capture-pane', '-p', '-t', 'box:0'];
    const done = boxes.exec(name, { argv });
    let text = '';
    done.stdout?.on('data', (chunk: Buffer) => (text += chunk.toString()));
    done.stderr?.on('data', () => undefined);
    await done.report.ended;
    await done.report.closed;
    done.close();
    if (text.trim() !== '') return;
    await sleep(2);
  }
}

function requireNone(failure: string | null): void {
  if (failure !== null) throw new Error(failure);
}

/** Null where it ended well and printed what it should. */
function failureOf(
  [program = '', ...words]: readonly string[],
  wanted: string,
  env: Readonly<Record<string, string>> = {},
): string | null {
  const given = { encoding: 'utf8', env: { ...process.env, ...env } } as const;
  const { error, status, stdout, stderr } = spawnSync(program, words, given);
  if (error !== undefined) return error.message;
  if (status === 0 && stdout.includes(wanted)) return null;
  return stderr.trim().split('\n').at(-1) ?? 'it ended badly';
}

function childrenOf(pid: number): readonly number[] {
  const text = readFileSync(`/proc/${String(pid)}/task/${String(pid)}/children`, 'utf8');
  return text.trim().split(' ').filter(Boolean).map(Number);
}

/** What keeps the logs of boxes that this process has made. */
function writers(): readonly number[] {
  return readdirSync('/proc/self/task')
    .flatMap((thread) => readFileSync(`/proc/self/task/${thread}/children`, 'utf8').split(' '))
    .map(Number)
    .filter(
      (pid) =>
        pid > 0 && readFileSync(`/proc/${String(pid)}/cmdline`, 'utf8').includes('\0--log\0'),
    );
}

function memoryOf(pids: readonly number[]): number {
  const all = [...pids];
  for (const pid of all) all.push(...childrenOf(pid));
  return all
    .map((pid) => readFileSync(`/proc/${String(pid)}/smaps_rollup`, 'utf8'))
    .map((text) => Number(/^Pss:\s+(\d+) kB$/mu.exec(text)?.[1] ?? 0) * 1024)
    .reduce((sum, bytes) => sum + bytes, 0);
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? NaN;
}
