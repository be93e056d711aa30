import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import type { Clock } from '../../shared/base/index.ts';
import { ownUid, parseStat } from '../../shared/home/index.ts';
import type { ReadyCommand } from './launcher.ts';
import { openKeeper } from './sandbox/keeper.ts';
import type { KeptCommand, KeptStdio, Keeper } from './sandbox/keeper.ts';
import { encodePlan } from './sandbox/message.ts';
import type { LaunchPlan } from './sandbox/message.ts';

/**
 * A small process that starts commands, so that none costs a fork of this one with all its memory. It
 * holds nothing of them but their numbers: signals go to them from here, and they outlive it.
 */
export interface Spawner {
  /** Starts the command of an encoded plan; null where it is to be started in another way. */
  readonly run: (plan: Uint8Array, stdio: KeptStdio) => StartedCommand | null;
  /** Settles when there is a process to start commands; false where there will be none. */
  readonly ready: () => Promise<boolean>;
  /** Ends it with the last command that it has started; nothing new is started by it. */
  readonly dispose: () => void;
}

export interface StartedCommand extends Omit<KeptCommand, 'signal'> {
  /** Gives the spawner up where it does not say of a command that is gone that it has ended. */
  readonly giveUpIfGone: (pid: number) => void;
}

interface SpawnerOptions {
  readonly clock: Clock;
  /** Absolute path of the launcher, which need not be there. */
  readonly launcher: string;
  readonly open?: typeof openKeeper;
}

/** As many as one keeper takes (`keeper.c`), with some room. Beyond, commands are started as ever. */
const mostCommands = 480;
/** How long a command may take to begin before nobody is believed to start it. */
const beginMs = 20_000;
/** A spawner that could not be started is not tried again for so long. */
const brokenMs = 60_000;

/** Opens with the first command, which is not kept waiting for it, and again when it has ended. */
export function createSpawner({ clock, launcher, open = openKeeper }: SpawnerOptions): Spawner {
  let current: Promise<Keeper | null> | null = null;
  let known: Keeper | null = null;
  let running = 0;
  let brokenSince: number | null = null;
  let isDisposed = false;

  const start = async (): Promise<Keeper | null> => {
    const keeper = existsSync(launcher) ? open(launcher, spawnerPlan(), clock) : null;
    const begun = await keeper?.begun;
    if (keeper === null || begun?.ok !== true || isDisposed) {
      keeper?.close();
      brokenSince = clock.elapsed();
      return null;
    }
    known = keeper;
    const over = (): void => {
      if (known === keeper) known = null;
      current = null;
    };
    void keeper.closed.then(over);
    return keeper;
  };
  const ready = async (): Promise<boolean> => {
    if (isDisposed) return false;
    if (brokenSince !== null) {
      if (clock.elapsed() - brokenSince < brokenMs) return false;
      brokenSince = null;
      current = null;
    }
    current ??= start();
    return (await current) !== null;
  };
  const oneLess = (): void => {
    running -= 1;
    closeIfDone();
  };
  const closeIfDone = (): void => {
    if (isDisposed && running === 0) known?.close();
  };
  return {
    ready,
    run: (plan, stdio) => {
      const keeper = isDisposed ? null : known;
      if (keeper?.isOpen() !== true) void ready();
      if (keeper?.isOpen() !== true || running >= mostCommands) return null;
      const command = keeper.run(plan, stdio);
      if (command === null) return null;
      running += 1;
      const { report } = command;
      void report.closed.then(oneLess);
      const giveUp = (): void => endNow(keeper);
      const cancel = clock.after(beginMs, giveUp);
      void report.begun.then(cancel);
      return { ...command, giveUpIfGone: (pid) => void (isGone(pid) && giveUp()) };
    },
    dispose: () => {
      isDisposed = true;
      closeIfDone();
    },
  };
}

/** At once, and before anything that it was told and has not done: it may be one that was stopped. */
function endNow(keeper: Keeper): void {
  if (!keeper.isOpen() || keeper.pid === undefined) return;
  try {
    process.kill(keeper.pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

/** Also when nobody has collected it, which is what the spawner is there for. */
function isGone(pid: number): boolean {
  try {
    const state = parseStat(readFileSync(`/proc/${String(pid)}/stat`, 'latin1'))?.state;
    return state === undefined || state === 'Z' || state === 'X';
  } catch {
    return true;
  }
}

function spawnerPlan(): Parameters<typeof openKeeper>[1] {
  const { uid, gid } = asWeAre();
  return {
    mode: 'start',
    uid,
    gid,
    parent: process.pid,
    noNetwork: false,
    groups: [],
    entries: [],
  };
}

/** No other user, no limits, and a life of its own, as without a launcher. */
export function asWeAre(): Pick<LaunchPlan, 'uid' | 'gid' | 'parent' | 'limits' | 'groups'> {
  return {
    uid: ownUid(),
    gid: process.getegid?.() ?? 0,
    parent: 0,
    limits: { processes: 0, memory: 0, fileSize: 0, cpuSeconds: 0, openFiles: 0 },
    groups: [],
  };
}

const mostBytes = 1 << 20;
const mostWords = 60_000;

/** The plan of a command that nothing holds; null where it is none that the launcher would read. */
export function barePlan({ file, argv0, args, cwd, env, tells }: ReadyCommand): Buffer | null {
  const words = args.length + Object.keys(env).length;
  if (words > mostWords || ![file, cwd].every(isPlainPath)) return null;
  if ([argv0, ...args, ...Object.entries(env).flat()].some((word) => word.includes('\0')))
    return null;
  const plan = encodePlan({
    ...asWeAre(),
    mode: 'bare',
    noNetwork: false,
    tells,
    cwd,
    file,
    argv: [argv0, ...args],
    env,
    entries: [],
  });
  return plan.length > mostBytes ? null : plan;
}

function isPlainPath(path: string): boolean {
  const isWorkedOut = posix.isAbsolute(path) && posix.normalize(path) === path;
  return isWorkedOut && (path === '/' || !path.endsWith('/')) && !path.includes('\0');
}
