import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync } from 'node:fs';
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
const others: readonly (readonly [string, readonly [string, ...string[]]])[] = [
  ['podman run, this root', ['podman', 'run', '--rm', '--network', 'none', '--rootfs', '/:O']],
  [
    'systemd-nspawn, this root',
    [
      'systemd-nspawn',
      '-q',
      '--register=no',
      '--keep-unit',
      '--volatile=yes',
      '--private-network',
    ].concat(['-M', 'interlock-bench', '-D', '/', '--pipe']) as [string, ...string[]],
  ],
];

/** Starts each as often, in turns, so that what else the machine does falls on all. */
export async function measureBoxes(rounds: number): Promise<BoxFigures> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'il-bench-')));
  const { boxes, keepers } = open(folder);
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
      for (const [way, words] of others) {
        if (failed.has(way)) continue;
        const begun = performance.now();
        const why = failureOf(words);
        if (why === null) took(way, begun);
        else failed.set(way, why);
      }
    }
    const names = Array.from({ length: idleBoxes }, (_, at) => `idle-${String(at)}`);
    for (const name of names) await boxes.up({ ...request, name });
    for (const name of names) await prompt(boxes, name);
    const bytes = memoryOf([...keepers(), ...writers()]);
    for (const name of names) await boxes.down(name);
    const ways = ['interlock box up', ...others.map(([way]) => way)];
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
      remove: async (name) => Promise.resolve(void keys.delete(name)),
    },
    locks: boxLocks(records, uid),
    requireOpen: () => undefined,
    fresh: async () => Promise.resolve(),
    secret: async () => Promise.resolve(null),
    progress: () => undefined,
  });
  const keepers = (): readonly number[] =>
    records.names().flatMap((name) => records.read(name)?.keeper?.pid ?? []);
  return { boxes, keepers };
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

/** Null where it printed what it should. */
function failureOf([program, ...words]: readonly [string, ...string[]]): string | null {
  const { error, stdout, stderr } = spawnSync(program, [...words, ...line], { encoding: 'utf8' });
  if (error !== undefined) return error.message;
  return stdout.includes('ready') ? null : (stderr.trim().split('\n').at(-1) ?? 'it ended badly');
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
