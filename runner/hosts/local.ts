import { statSync } from 'node:fs';
import { refuse } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import type { RunningRecords } from '../../shared/home/index.ts';
import type { Host, HostTask, RunIo } from './host.ts';
import { createProcessGroups } from './process-group.ts';
import type { Kill } from './process-group.ts';
import { runProcess } from './run-process.ts';
import type { Launcher } from './launcher.ts';
import type { PrepareSweep } from './run-process.ts';
import type { Spawner } from './spawner.ts';

export interface LocalHostOptions {
  /** `gateway`, unless something else is said. */
  readonly name?: string;
  readonly clock: Clock;
  /** Absolute path of the shell for shell text. */
  readonly shell: string;
  /** The variables that every command sees. */
  readonly environment: Readonly<Record<string, string>>;
  readonly kill?: Kill;
  /** Remembers what runs beyond a crash of the runner. */
  readonly records?: RunningRecords;
  /** Finds what has left its process group, where a command is stopped. */
  readonly prepareSweep?: PrepareSweep;
  /** What stands between the runner and a command; absent: nothing does. */
  readonly launcherOf?: (task: HostTask) => Launcher | null;
  /** Starts commands without a fork of this process; absent: nothing does. */
  readonly spawner?: Spawner;
  /** What else has to be there. */
  readonly probe?: Host['probe'];
}

/** A host that runs commands on this machine, as the runner's own user. */
export function localHost(options: LocalHostOptions): Host {
  const { launcherOf, probe = async () => ({ ok: true }) } = options;
  const groups = createProcessGroups(options.clock, options.kill);
  return {
    name: options.name ?? 'gateway',
    probe: async () =>
      process.platform === 'win32'
        ? { ok: false, problem: 'The gateway needs process groups, which Windows does not have.' }
        : probe(),
    run: async (task, limits, io) => {
      if (!isDirectory(task.cwd))
        throw refuse(
          'host-unavailable',
          `The working directory ${task.cwd} is gone.`,
          'Ask again from a directory that exists.',
        );
      if (task.execution.kind === 'missing') return notFound(task.execution.name, io);
      const launcher = launcherOf?.(task) ?? null;
      return runProcess({
        ...options,
        ...(launcher !== null && { launcher }),
        groups,
        task,
        execution: task.execution,
        limits,
        io,
      });
    },
    groups: () => groups.all(),
    signalAll: () => groups.signalAll(),
    stopStrays: () => {
      const strays = groups.strays();
      for (const pid of strays) groups.kill(pid);
      return strays.length;
    },
  };
}

async function notFound(name: string, io: RunIo): ReturnType<Host['run']> {
  await io.output('stderr', Buffer.from(`interlock: ${name}: command not found\n`));
  return { ending: 'exited', exitCode: 127, signal: null };
}

function isDirectory(path: HostTask['cwd']): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
