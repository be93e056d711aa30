import { spawn } from 'node:child_process';
import type { ChildProcess, StdioOptions } from 'node:child_process';
import type { Server } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { takeOver } from './sandbox/keeper.ts';
import type { KeptCommand, Keeper } from './sandbox/keeper.ts';
import { readReport } from './sandbox/report.ts';
import type { Begun, Ended, Held, LaunchReport } from './sandbox/report.ts';
import { barePlan } from './spawner.ts';
import type { StartedCommand, Spawner } from './spawner.ts';

/** The program to start for a command. */
export interface CommandLine {
  readonly file: string;
  readonly argv0: string;
  readonly args: readonly string[];
}

/** A command with everything that it sees, ready to be started. */
export interface ReadyCommand extends CommandLine {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** It tells something on its descriptor 3, which the launcher finds as its own 5. */
  readonly tells: boolean;
}

/**
 * Stands between the runner and the command: it is started in the command's place, told what to
 * start and under which hold, and says what became of it.
 */
export interface Launcher {
  /**
   * Absolute path of the launcher, and what it is told on its descriptor 3; it answers on 4. Or a
   * launcher that is there already, and what it is told.
   */
  readonly prepare: (command: ReadyCommand) => PreparedLaunch | KeptLaunch | SilentLaunch;
  /** What is to be said where a launch failed before anything ran. */
  readonly refusal: (failed: Begun & { readonly ok: false }) => Error;
  /** The launcher and all that it started are gone. */
  readonly closed: () => void;
}

/** A program to be started. */
export interface PreparedLaunch {
  readonly file: string;
  readonly args?: readonly string[];
  /** What it reads on its descriptor 3. */
  readonly plan: Uint8Array;
  /** What it is told may be told to a spawner instead. */
  readonly isForSpawner?: boolean;
  /** What it reads on 6 and up, without the number of the channel. */
  readonly more?: readonly Uint8Array[];
  /** Called with the socket that it opens in the box and hands out on 7. */
  readonly listens?: (server: Server) => void;
}

/** A program that holds a command and says nothing: its end is the command's, and so is its failure. */
export interface SilentLaunch extends CommandLine {
  readonly env: Readonly<Record<string, string>>;
  readonly holds: Held;
}

/** A plan for what is kept to start commands. */
interface KeptLaunch {
  readonly keeper: Keeper;
  readonly plan: Uint8Array;
  /** Gets its number, and how to signal it; answers what is to be called at its end. */
  readonly started: (pid: number, signal: KeptCommand['signal']) => () => void;
}

/** A command on its way: its process, or its launcher's, and how it gets on. */
export interface Launch {
  /** Settles when there is a process, or why there is none. */
  readonly started: Promise<Started>;
  readonly stdin: Writable | null;
  /** What Node has made for descriptors 1 and 2, where it did. */
  readonly streams: Pick<ChildProcess, 'stdout' | 'stderr'>;
  /** The descriptor on which it tells something, where it does. */
  readonly told: Readable | null;
  /** Settles when the command runs, or nothing of it ever will. */
  readonly begun: Promise<Begun>;
  /** The command's end. A launcher may outlive it. */
  readonly ended: Promise<Ended>;
  /** The end of the process itself. */
  readonly gone: Promise<unknown>;
  /** It was stopped for good and nothing was heard of it since: whoever is silent about it is given up. */
  readonly giveUp?: (pid: number) => void;
}

type Started =
  | { readonly ok: true; readonly pid: number }
  | { readonly ok: false; readonly error: NodeJS.ErrnoException | null };

type LaunchOptions = ReadyCommand & {
  /** For descriptors 0 to 2. */
  readonly stdio: readonly ['pipe' | 'ignore', ...(readonly (number | 'pipe')[])];
  /** Absent: the command is started as it is. */
  readonly launcher: Launcher | undefined;
  /** Absent: it is started by a fork of this process. */
  readonly spawner?: Spawner | undefined;
};

/** Starts a command, by its launcher where it has one. Throws where nothing could be started. */
export function launch({ launcher, stdio, spawner, ...command }: LaunchOptions): Launch {
  if (launcher === undefined) {
    const plan = spawner === undefined ? null : barePlan(command);
    const begun = plan === null ? null : bySpawner(plan, { spawner, stdio, ...command });
    return begun ?? launchAsItIs(command, stdio, null);
  }
  const telling = command.tells ? (['pipe'] as const) : [];
  const common = { detached: true, shell: false } as const;
  const prepared = launcher.prepare(command);
  if ('holds' in prepared) {
    const { holds, ...line } = prepared;
    const started = launchAsItIs({ ...command, ...line }, stdio, holds);
    const close = (): void => launcher.closed();
    void started.gone.then(close);
    void started.started.then(({ ok }) => (ok ? undefined : close()));
    return started;
  }
  if ('keeper' in prepared) return launchKept(prepared, { launcher, stdio, ...command });
  const { file, args = [], plan, more = [], listens } = prepared;
  if (prepared.isForSpawner === true) {
    const begun = bySpawner(plan, { launcher, spawner, stdio, ...command });
    if (begun !== null) return begun;
  }
  // The channel stands at 7, whatever else there is.
  const further = listens === undefined ? more.map(() => 'pipe' as const) : aroundChannel(more);
  const fifth = further.length > 0 && !command.tells ? ignored : telling;
  const all: StdioOptions = [...stdio, 'pipe', 'pipe', ...fifth, ...further];
  // Its own variables can be read from outside; they only carry the command's mark.
  const env = Object.fromEntries(Object.entries(command.env).filter(([name]) => isMark(name)));
  const child = spawn(file, args, { ...common, cwd: '/', env, stdio: all });
  const gone = endOf(child);
  void gone.then(launcher.closed);
  child.once('error', launcher.closed);
  if (listens !== undefined) takeOver(child, listens);
  tell(child, 3, plan);
  more.forEach((bytes, index) => {
    tell(child, 6 + index + (listens !== undefined && index > 0 ? 1 : 0), bytes);
  });
  const answers = streamAt(child, 4);
  const report = answers === null ? silent : readReport(answers);
  const ended = report.ended.then(async (end) => end ?? gone);
  return {
    ...ofChild(child),
    told: command.tells ? streamAt(child, 5) : null,
    begun: report.begun,
    ended,
    gone,
  };
}

/** The program itself, with nothing between it and us. */
function launchAsItIs(
  { file, argv0, args, cwd, env, tells }: ReadyCommand,
  stdio: LaunchOptions['stdio'],
  held: Held | null,
): Launch {
  const all: StdioOptions = [...stdio, ...(tells ? (['pipe'] as const) : [])];
  const child = spawn(file, args, { detached: true, shell: false, argv0, cwd, env, stdio: all });
  const gone = endOf(child);
  const begun = Promise.resolve({ ok: true, held } as const);
  return { ...ofChild(child), told: streamAt(child, 3), begun, ended: gone, gone };
}

/** By a process that is there already: nothing of this one is copied for it. */
function launchKept(
  { keeper, plan, started }: KeptLaunch,
  { launcher, stdio, tells }: LaunchOptions & { readonly launcher: Launcher },
): Launch {
  const [input, first, second = first] = stdio;
  if (typeof first !== 'number' || typeof second !== 'number') throw notHandedOver();
  const outputs = [first, second] as const;
  const command = keeper.run(plan, { takesInput: input === 'pipe', outputs, tells });
  if (command === null) throw notHandedOver();
  const { report } = command;
  let forget = (): void => {};
  const known = report.pid.then((pid): Started => {
    if (pid === null) return { ok: false, error: null };
    forget = started(pid, command.signal);
    return { ok: true, pid };
  });
  const ending = async (): Promise<void> => {
    await Promise.all([report.closed, known]);
    forget();
    command.stdin?.destroy();
    launcher.closed();
  };
  const gone = ending();
  return {
    started: known,
    stdin: command.stdin,
    streams: { stdout: null, stderr: null },
    told: command.told,
    begun: report.begun.then(async (begun) => {
      const isSilent = !begun.ok && begun.step === 'launch';
      const of = isSilent ? await keeper.begun : begun;
      return of.ok ? begun : of;
    }),
    ended: report.ended.then(async (end) => {
      if (end !== null) {
        // What goes on can be reached by the next command: there is nothing to say about it.
        const { behind: _, ...rest } = end;
        return rest;
      }
      await gone;
      return { exitCode: null, signal: 'SIGKILL' };
    }),
    gone,
  };
}

/** By the spawner, where it takes it. */
function bySpawner(
  plan: Uint8Array,
  {
    launcher,
    spawner,
    stdio: [input, first, second = first],
    tells,
  }: Pick<LaunchOptions, 'spawner' | 'stdio' | 'tells'> & { readonly launcher?: Launcher },
): Launch | null {
  if (typeof first !== 'number' || typeof second !== 'number') return null;
  const stdio = { takesInput: input === 'pipe', outputs: [first, second], tells } as const;
  const command = spawner?.run(plan, stdio) ?? null;
  return command === null ? null : ofStarted(command, launcher);
}

function ofStarted(command: StartedCommand, launcher: Launcher | undefined): Launch {
  const { report, stdin, told, giveUpIfGone } = command;
  const starting = async (): Promise<Started> => {
    const begun = await report.begun;
    const pid = await report.pid;
    // The number comes before the program can run: without it nothing has.
    if (pid === null) return { ok: false, error: launcher === undefined ? errorOf(begun) : null };
    const notRun = launcher === undefined ? report.notRun() : null;
    return notRun === null ? { ok: true, pid } : { ok: false, error: errorNamed(notRun) };
  };
  const ending = async (): Promise<void> => {
    await report.closed;
    stdin?.destroy();
    launcher?.closed();
  };
  return {
    started: starting(),
    stdin,
    streams: { stdout: null, stderr: null },
    told,
    begun: report.begun.then(async (begun) => {
      // The spawner has ended in between: it may run.
      if (!begun.ok && (await report.pid) !== null) return bare;
      return launcher === undefined && begun.ok ? bare : begun;
    }),
    ended: report.ended.then((end) => end ?? { exitCode: null, signal: 'SIGKILL', isLost: true }),
    gone: ending(),
    giveUp: giveUpIfGone,
  };
}

function errorOf(begun: Begun): NodeJS.ErrnoException {
  return errorNamed(begun.ok ? 'unheard' : begun.error);
}

function errorNamed(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`It could not be run (${code}).`), { code });
}

const notHandedOver = (): Error => new Error('its descriptors could not be handed over');

function ofChild(child: ChildProcess): Pick<Launch, 'started' | 'stdin' | 'streams'> {
  const started = new Promise<Started>((resolve) => {
    child.once('spawn', () => resolve({ ok: true, pid: child.pid ?? 0 }));
    child.once('error', (error) => resolve({ ok: false, error }));
  });
  return { started, stdin: child.stdin, streams: child };
}

const ignored = ['ignore'] as const;

function aroundChannel([first, ...others]: readonly Uint8Array[]) {
  const sixth = first === undefined ? ('ignore' as const) : ('pipe' as const);
  return [sixth, 'ipc' as const, ...others.map(() => 'pipe' as const)];
}

const bare: Begun = { ok: true, held: null };
const silent: LaunchReport = {
  pid: Promise.resolve(null),
  begun: Promise.resolve({ ok: false, step: 'launch', error: 'it could not be heard' }),
  ended: Promise.resolve(null),
  closed: Promise.resolve(),
  notRun: () => null,
};

const isMark = (name: string): boolean => name.startsWith('INTERLOCK_');

function streamAt(child: ChildProcess, descriptor: number): Readable | null {
  return (child.stdio[descriptor] as Readable | null | undefined) ?? null;
}

function tell(child: ChildProcess, descriptor: number, bytes: Uint8Array): void {
  const wire = child.stdio[descriptor] as Writable | null | undefined;
  // A launcher that ends early says so in its report.
  wire?.on('error', () => {});
  wire?.end(bytes);
}

async function endOf(child: ChildProcess): Promise<Ended> {
  return new Promise((resolve) => {
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }));
  });
}
