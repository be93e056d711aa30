import { randomBytes } from 'node:crypto';
import { messageOf } from '../base/index.ts';
import type { Clock } from '../base/index.ts';
import {
  boxKeepers,
  closeLock,
  createFinder,
  homeTag,
  keepStopNote,
  listProcesses,
  lookTogether,
  openSecretStore,
  processesOf,
  processesOfHome,
  readBootId,
  readRunningRecords,
  readStopState,
  restoreAgentKeys,
  revokeAgentKeys,
  rotateToken,
  stopProcesses,
} from '../home/index.ts';
import type {
  FinderOptions,
  HomePaths,
  LockStored,
  Machine,
  ProcessEntry,
  RunningRecord,
  SecretStore,
  StopProcessesOptions,
} from '../home/index.ts';
import type { RunnerClient } from '../ipc/index.ts';

/** What a lockout has done, as it is confirmed to the person. */
export interface LockoutReport {
  /** Commands that were running and were stopped. */
  readonly stopped: number;
  /** Asks that were taken back; they all are when no runner answers. */
  readonly withdrawn: number;
  readonly keysRotated: number;
  readonly tokenRotated: boolean;
  /** Processes that are there all the same, such as those of another user. */
  readonly left: number;
  /** False: no runner answered, and the rest was done without it. */
  readonly runnerReached: boolean;
  /** How the lock came onto the disk. */
  readonly stored: LockStored;
  /** Sentences about what could not be done. The lock holds all the same. */
  readonly problems: readonly string[];
}

/** What `stopProcesses` counts as one step, in milliseconds. */
const stepMs = 25;
const paces = [25, 25, 50, 100] as const;
const laterMs = 200;

/**
 * Looks again soon at first, because most commands end at once, and then seldom: every look goes
 * through all processes of the machine. The grace stays what it is, whatever a look costs.
 */
export function paced(graceMs: number): Pick<StopProcessesOptions, 'graceMs' | 'sleep'> {
  const quick = paces.reduce((sum, ms) => sum + ms, 0);
  const steps = paces.length + Math.ceil(Math.max(0, graceMs - quick) / laterMs);
  let step = 0;
  return {
    graceMs: graceMs === 0 ? 0 : steps * stepMs,
    sleep: async () => {
      const ms = paces[step] ?? laterMs;
      step += 1;
      return new Promise((resolve) => void setTimeout(resolve, ms));
    },
  };
}

/** How to find what a lockout has to stop. */
export type CommandProcesses = FinderOptions;

/**
 * Every process that comes from a command of this home's runners, as far as the system lets us see:
 * by the records of commands, by the mark in the environment, by process group, session and descent.
 * What left its group, its session and its parents and cleared its environment is not among them.
 */
export function commandProcesses(
  paths: Pick<HomePaths, 'home' | 'runningDirectory'>,
  uid: number,
  processes: () => readonly ProcessEntry[] = listProcesses,
  further: () => readonly RunningRecord[] = () => [],
): CommandProcesses {
  const bootId = readBootId();
  const tag = homeTag(paths.home);
  return {
    look: () => ({ processes: processes(), bootId, spare: process.pid }),
    pick: (machine: Machine) => {
      const { records, damaged } = readRunningRecords(paths.runningDirectory, uid);
      const recorded = processesOf({ records: [...records, ...further()], damaged }, machine);
      const all = [...recorded, ...processesOfHome(tag, machine)];
      return [...new Map(all.map((entry) => [entry.pid, entry])).values()];
    },
  };
}

/** The same, and what runs in named boxes, which outlives runners and ends with a lockout all the same. */
export function allProcesses(
  paths: Pick<HomePaths, 'home' | 'runningDirectory' | 'boxesDirectory'>,
  uid: number,
): CommandProcesses {
  return commandProcesses(paths, uid, listProcesses, () => boxKeepers(paths.boxesDirectory, uid));
}

const listTogether = lookTogether(listProcesses);

/** What one command has started, wherever it has gone, by its mark. */
export function processesOfCommand(id: string): CommandProcesses {
  const bootId = readBootId();
  return {
    look: () => ({ processes: listTogether(), bootId, spare: process.pid }),
    pick: (machine: Machine) => processesOf({ records: [], damaged: [id] }, machine),
  };
}

/**
 * Tells apart the commands that these processes come from: by their marks where the system shows
 * them, else by their sessions. One that is ending has no mark any more; the others of its command
 * speak for it.
 */
export function commandsOf(entries: readonly ProcessEntry[]): ReadonlySet<string> {
  const showsMarks = (entry: ProcessEntry): boolean => entry.startTicks !== null;
  return new Set(
    entries.flatMap((entry) =>
      showsMarks(entry) ? (entry.runId ?? []) : [`session ${entry.session}`],
    ),
  );
}

/** Takes every agent's key away, and answers how many there were. */
export interface KeyRotation {
  revokeAll(): Promise<number>;
}

interface Owner {
  readonly uid: number;
  readonly clock: Clock;
}

async function storeOf(
  { home, keysDirectory: directory }: Pick<HomePaths, 'home' | 'keysDirectory'>,
  { uid, clock }: Owner,
): Promise<SecretStore> {
  return openSecretStore({ home, directory, uid, clock });
}

/** The keys of a home whose runner does not answer. */
function homeKeys(
  paths: Pick<HomePaths, 'home' | 'keysDirectory'>,
  { uid, clock }: Owner,
): KeyRotation {
  const { keysDirectory: directory } = paths;
  return {
    revokeAll: async () => {
      const secrets = await storeOf(paths, { uid, clock });
      return revokeAgentKeys({ directory, secrets, uid });
    },
  };
}

/** Gives every agent whose key was taken away a new one; returns their names. */
export async function bringAgentsBack(
  paths: Pick<HomePaths, 'home' | 'keysDirectory'>,
  { uid, clock }: Owner,
): Promise<readonly string[]> {
  const { keysDirectory: directory } = paths;
  const secrets = await storeOf(paths, { uid, clock });
  const now = (): number => clock.now();
  return restoreAgentKeys({ directory, secrets, uid, now, random: randomBytes });
}

/** What a person has to know of a lock that stands outside the home. */
export const lockOutsideHome =
  'INTERLOCK_HOME cannot be written. The lock holds until this machine starts again: lock once more when the disk is mended.';

/** Between SIGTERM and SIGKILL in a lockout, in milliseconds. */
export const lockoutGraceMs = 5_000;

interface LockOutAloneOptions {
  readonly paths: HomePaths;
  readonly uid: number;
  readonly clock: Clock;
  readonly reason: string | null;
  readonly by: string;
  /** For tests; found in the home and on the machine when absent. */
  readonly processes?: CommandProcesses;
  readonly keys?: KeyRotation;
  readonly graceMs?: number;
}

/** What was stopped without the runner, and how the lock came onto the disk. */
interface StoppedAlone {
  readonly stored: LockStored;
  readonly commands: number;
  readonly left: number;
  readonly problems: readonly string[];
}

/**
 * Stops first and writes then: a disk that hangs or is read-only must not keep a command alive. What
 * was started between the two is found by the second look. Rejects only when no lock could be had.
 */
async function stopAlone(options: LockOutAloneOptions): Promise<StoppedAlone> {
  const { paths, uid, clock, reason, by } = options;
  const processes = options.processes ?? allProcesses(paths, uid);
  const commands = new Set<string>();
  const pick: CommandProcesses['pick'] = (machine) => {
    const found = processes.pick(machine);
    for (const command of commandsOf(found)) commands.add(command);
    return found;
  };
  const find = createFinder({ look: processes.look, pick });
  const problems: string[] = [];
  const stop = async (graceMs: number): Promise<readonly number[]> => {
    try {
      return (await stopProcesses({ find, ...paced(graceMs) })).left;
    } catch (error) {
      problems.push(`Commands could not be stopped: ${messageOf(error)}`);
      return [];
    }
  };
  const signalled = stop(options.graceMs ?? lockoutGraceMs);
  let stored: LockStored;
  try {
    stored = closeLock(paths, { reason, at: clock.now(), by }, uid);
  } finally {
    await signalled;
  }
  const left = await stop(0);
  return { stored, commands: commands.size, left: left.length, problems };
}

/** All that a runner would have done: token, keys, and a note for the audit log. Never throws. */
async function finishAlone(
  options: LockOutAloneOptions,
  stopped: StoppedAlone,
): Promise<LockoutReport> {
  const { paths, uid, clock, reason, by } = options;
  const problems = [...stopped.problems];
  const attempt = async <T>(what: string, work: () => T | Promise<T>, otherwise: T): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      problems.push(`${what}: ${messageOf(error)}`);
      return otherwise;
    }
  };
  const token = await rotateToken(paths, { uid, openStore: async () => storeOf(paths, options) });
  if (!token.rotated) problems.push(`The approvals token was not rotated: ${token.why}`);
  const keys = options.keys ?? homeKeys(paths, { uid, clock });
  const keysRotated = await attempt(
    'The keys of agents were not revoked',
    async () => keys.revokeAll(),
    0,
  );
  const report = {
    stopped: stopped.commands,
    withdrawn: 0,
    keysRotated,
    tokenRotated: token.rotated,
    left: stopped.left,
  };
  await attempt(
    'The lockout could not be noted for the audit log',
    () => {
      const text = `${reason ?? 'No reason was given.'} ${JSON.stringify(report)}`;
      keepStopNote(paths, { at: clock.now(), code: 'lockout', by, text }, uid);
    },
    undefined,
  );
  if (stopped.stored === 'runtime') problems.push(lockOutsideHome);
  return { ...report, runnerReached: false, stored: stopped.stored, problems };
}

export interface LockOutOptions extends LockOutAloneOptions {
  readonly runner: Pick<RunnerClient, 'lockout'> & Partial<Pick<RunnerClient, 'status'>>;
}

/** How long a runner may take to stop everything before it is done without it, in milliseconds. */
export const lockoutTimeoutMs = 15_000;

/** A runner that is well has closed the lock by then, in milliseconds. */
const hesitationMs = 200;

/** Whatever the runner does, everything is signalled by then, in milliseconds. */
const patienceMs = 700;

/** A runner that is well says how it is within this time, in milliseconds. */
const signOfLifeMs = 500;

/**
 * Locks everything out, whatever state the parts are in. A runner that answers does it and counts.
 * When it has not closed the lock after a moment, or not answered after another, the lock is closed
 * and everything is stopped from here as well; a runner that then gives no sign of life is no longer
 * waited for. Throws only when the lock could not be closed in any way.
 */
export async function lockOut(options: LockOutOptions): Promise<LockoutReport> {
  const { runner, paths, uid, clock, reason } = options;
  let mine: Promise<StoppedAlone> | null = null;
  const act = (): Promise<StoppedAlone> => {
    mine ??= stopAlone(options);
    return mine;
  };
  const calls = new AbortController();
  const cancels: (() => void)[] = [() => calls.abort()];
  const gaveUp = new Promise<null>((resolve) => {
    const giveUp = (): void => resolve(null);
    const askForLife = (): void => {
      const cancel = clock.after(signOfLifeMs, giveUp);
      cancels.push(cancel);
      void runner.status?.(calls.signal).then(cancel, giveUp);
    };
    const begin = (): void => void act().then(askForLife, askForLife);
    const isClosed = (): boolean => readStopState(paths, uid).mode === 'locked';
    cancels.push(
      clock.after(hesitationMs, () => isClosed() || begin()),
      clock.after(patienceMs, begin),
    );
  });
  try {
    const done = await Promise.race([
      lockOutThrough(runner, reason, calls.signal).catch(() => null),
      gaveUp,
    ]);
    if (done === null) return await finishAlone(options, await act());
    // Both may have stopped them: who came second found less, or nothing at all.
    const alone = mine === null ? null : await (mine as Promise<StoppedAlone>).catch(() => null);
    return { ...done, stopped: Math.max(done.stopped, alone?.commands ?? 0) };
  } finally {
    for (const cancel of cancels) cancel();
  }
}

/** The same by the runner alone: for who cannot reach its files. Rejects where it does not answer. */
export async function lockOutThrough(
  runner: Pick<RunnerClient, 'lockout'>,
  reason: string | null,
  signal?: AbortSignal,
): Promise<LockoutReport> {
  const done = await runner.lockout(reason ?? undefined, signal);
  const { stopped, withdrawn, keysRotated, tokenRotated = false, left = 0 } = done;
  return {
    stopped,
    withdrawn,
    keysRotated,
    tokenRotated,
    left,
    runnerReached: true,
    stored: 'written',
    problems: done.problems ?? [],
  };
}
