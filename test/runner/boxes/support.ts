import { existsSync, mkdirSync, readFileSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { namedBoxes } from '../../../runner/boxes/boxes.ts';
import type { BoxesOptions, NamedBoxes } from '../../../runner/boxes/boxes.ts';
import { boxRuntime } from '../../../runner/boxes/kept.ts';
import { boxLocks } from '../../../runner/boxes/locks.ts';
import { openBoxRecords } from '../../../runner/boxes/record.ts';
import { launcherPath } from '../../../runner/hosts/sandbox/launch.ts';
import { packageRoot } from '../../../runner/version.ts';
import { defaultConfig } from '../../../shared/engine/index.ts';
import { homePaths, ownUid } from '../../../shared/home/index.ts';
import { systemClock } from '../../../shared/home/clock.ts';
import { temporaryFolder } from '../hosts/support.ts';

const launcher = launcherPath(packageRoot());
const uid = ownUid();

/** A home with boxes in a folder of its own; what is left of them ends with the test. */
export function home(
  more: Partial<BoxesOptions> = {},
  programs: NonNullable<Parameters<typeof boxRuntime>[1]['programs']> = {},
) {
  const folder = temporaryFolder();
  const paths = homePaths({ INTERLOCK_HOME: join(folder, 'home') });
  const workspace = join(folder, 'work');
  mkdirSync(workspace, { recursive: true });
  mkdirSync(paths.stateDirectory, { recursive: true, mode: 0o700 });
  const records = openBoxRecords(paths.boxesDirectory, uid);
  const runtime = boxRuntime(records, { launcher, uid, programs });
  const keys = new Set<string>();
  const add = async (name: string) => {
    keys.add(name);
    return Promise.resolve({ name, keyFile: `/keys/${name}` });
  };
  const options: BoxesOptions = {
    clock: systemClock,
    uid,
    paths,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
    launcher,
    records,
    runtime,
    config: () => defaultConfig,
    principals: {
      list: () => [...keys].map((name) => ({ name, createdAt: 0, keyedAt: 0 })),
      add,
      rekey: add,
      clear: async (name) => Promise.resolve(void keys.delete(name)),
    },
    requireOpen: () => undefined,
    fresh: async () => Promise.resolve(),
    locks: boxLocks(records, uid),
    secret: async () => Promise.resolve(null),
    progress: () => undefined,
    ...more,
  };
  const boxes = namedBoxes(options);
  onTestFinished(async () => {
    for (const name of records.names())
      await runtime.destroy(name, records.read(name)?.keeper ?? null, 0);
    await boxes.gc();
  });
  return { boxes, options, records, runtime, paths, workspace: realpathSync(workspace), keys };
}

/** Runs something in a box and says what came of it. */
export async function inBox(boxes: NamedBoxes, name: string, ...argv: readonly string[]) {
  const done = boxes.exec(name, { argv });
  let text = '';
  done.stdout?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  done.stderr?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const ended = await done.report.ended;
  await done.report.closed;
  done.close();
  return { code: ended?.exitCode ?? null, text: text.trim() };
}

/** Whether this machine can make boxes, with tmux in them. */
export const canBox =
  existsSync('/usr/bin/tmux') &&
  (await boxRuntime({ socketOf: () => '', rootOf: () => '' }, { launcher, uid }).problem(
    'kernel',
  )) === null;

/** Whether a process is there and not only its number. */
export function lives(pid: number): boolean {
  try {
    return !/\) [ZX] /u.test(readFileSync(`/proc/${String(pid)}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** Control groups of named boxes, wherever they are. */
export function groupsThere(folder = '/sys/fs/cgroup', depth = 0): readonly string[] {
  if (depth > 6) return [];
  return foldersIn(folder)
    .flatMap((path) => [
      ...(/\/(?:interlock-)?box-[0-9a-f]{16}/u.test(path) ? [path] : []),
      ...groupsThere(path, depth + 1),
    ])
    .toSorted();
}

/** Other tests end their groups meanwhile: what is gone has none. */
function foldersIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .map((name) => join(folder, name))
      .filter((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true);
  } catch {
    return [];
  }
}
