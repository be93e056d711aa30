import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { FileHold, HostTask } from '../host.ts';
import type { Launcher } from '../launcher.ts';
import { asWeAre } from '../spawner.ts';
import { launchRefusal } from './launch.ts';
import { encodePlan } from './message.ts';
import type { Entry } from './message.ts';

/** Whether this kernel holds processes by Landlock: asked of the launcher, once. */
export function canHold(launcher: string): boolean {
  if (process.platform !== 'linux' || !existsSync(launcher)) return false;
  const { status } = spawnSync(launcher, ['--landlock'], { env: {}, stdio: 'ignore', cwd: '/' });
  return status === 0;
}

/**
 * Starts commands of the gateway by the launcher where they are to be held; others as they are.
 *
 * @param launcher absolute path of the launcher
 */
export function holdLauncher(launcher: string): (task: HostTask) => Launcher | null {
  let isAble: boolean | null = null;
  return ({ hold }) => {
    if (hold === undefined) return null;
    isAble ??= canHold(launcher);
    if (!isAble) return null;
    return {
      prepare: ({ file, argv0, args, cwd, env, tells }) => ({
        file: launcher,
        isForSpawner: true,
        plan: encodePlan({
          ...asWeAre(),
          mode: 'hold',
          noNetwork: !hold.network,
          tells,
          cwd,
          file,
          argv: [argv0, ...args],
          env,
          entries: rightsOf(hold),
        }),
      }),
      refusal: launchRefusal,
      closed: () => {},
    };
  };
}

/** Those of nobody. Others are disks, and terminals of the person. */
const devices = ['null', 'zero', 'full', 'random', 'urandom', 'tty'];

function rightsOf({ reads, writes, starts, same = [], into = [] }: FileHold): readonly Entry[] {
  const common = { kind: 'rights', ifPresent: true } as const;
  return [
    ...devices.map((name) => ({ ...common, target: `/dev/${name}`, read: true, write: true })),
    ...reads.map((target) => ({ ...common, target, read: true })),
    ...writes.map((target) => ({ ...common, target, read: true, write: true })),
    ...starts.map((target) => ({ ...common, target, read: true, execute: true })),
    ...into.map((target) => ({ ...common, target, write: true })),
    ...same.map(
      ({ path, ...identity }) => ({ kind: 'rights', target: path, read: true, identity }) as const,
    ),
  ];
}
