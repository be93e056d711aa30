import { basename } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { RefusalError, refuse } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import type { Execution } from '../../shared/engine/index.ts';
import { runVariable } from '../../shared/home/index.ts';
import type { RunningRecords } from '../../shared/home/index.ts';
import { stoppedBeforeStart } from '../gate/in-flight.ts';
import type { HostTask, OutputStream, RunIo, RunLimits, RunOutcome } from './host.ts';
import { launch } from './launcher.ts';
import type { CommandLine, Launch, Launcher } from './launcher.ts';
import type { Spawner } from './spawner.ts';
import { gatherFolder, openOutputs, tellingArguments } from './outputs.ts';
import type { Outputs } from './outputs.ts';
import type { ProcessGroups } from './process-group.ts';

/** The program to start for an execution. A shell reads no start-up file and takes the text as one word. */
function commandLine(execution: Execution, shell: string, tellsFolder: boolean): CommandLine {
  if (execution.kind === 'argv')
    return {
      file: execution.file,
      argv0: execution.argv[0] ?? execution.file,
      args: execution.argv.slice(1),
    };
  const quiet = basename(shell) === 'bash' ? ['--noprofile', '--norc'] : [];
  const text = tellsFolder ? tellingArguments(shell, execution.text) : [execution.text];
  return { file: shell, argv0: shell, args: [...quiet, '-c', ...text] };
}

/** After the leader's end: how long a silent pipe is still waited for. */
const quietMs = 250;
/** And how much may still come: more than any pipe can have held when the leader ended. */
const leftoverBytes = 4 * 1024 * 1024;

interface Drain {
  /** The leader has ended: from now on, a silent or endless pipe is let go. */
  leaderEnded(): void;
  /** Settles when the stream has ended or was let go. */
  readonly done: Promise<void>;
}

/**
 * Reads a stream chunk by chunk and waits for each chunk to be taken, so that output without end
 * never piles up. A background process may hold the pipe open for ever; it does not hold the result.
 */
function drain(
  stream: Readable,
  take: (bytes: Uint8Array) => void | Promise<void>,
  clock: Clock,
): Drain {
  let ended = false;
  let taking = false;
  let left = leftoverBytes;
  let cancelQuiet: (() => void) | null = null;
  const letGo = (): void => void stream.destroy();
  const waitForQuiet = (): void => {
    cancelQuiet?.();
    cancelQuiet = ended && !taking ? clock.after(quietMs, lookOnceMore) : null;
  };
  // A busy process may fire the timer before it has looked at what already lies in the pipe.
  const lookOnceMore = (): void => {
    const look = setImmediate(() => {
      const letGoThen = setImmediate(letGo);
      cancelQuiet = () => clearImmediate(letGoThen);
    });
    cancelQuiet = () => clearImmediate(look);
  };
  const read = async (): Promise<void> => {
    try {
      for await (const chunk of stream as AsyncIterable<Uint8Array>) {
        taking = true;
        cancelQuiet?.();
        await take(chunk);
        taking = false;
        if (ended) left -= chunk.length;
        if (left <= 0) break;
        waitForQuiet();
      }
    } catch {
      // Let go, or the pipe broke: either way there is nothing more to read.
    } finally {
      cancelQuiet?.();
      stream.destroy();
    }
  };
  return {
    leaderEnded: () => {
      ended = true;
      waitForQuiet();
    },
    done: read(),
  };
}

interface OpenRecord {
  readonly started: (pid: number) => void;
  readonly ended: () => void;
}

/** The record of one command. No record, no start: after a crash nobody would find its processes. */
function openRecord({
  records,
  task: { id },
}: {
  readonly records?: RunningRecords;
  readonly task: { readonly id: string };
}): OpenRecord {
  if (records === undefined) return { started: () => {}, ended: () => {} };
  quietly(
    () => records.begin(id),
    (cause) => {
      throw refuse(
        'host-unavailable',
        'It could not be written down what is about to run, so nothing was run.',
        'Have a person look at the disk that holds INTERLOCK_HOME.',
        { cause },
      );
    },
  );
  return {
    // The first record holds good without the number: the processes carry the id as their mark.
    started: (pid) => quietly(() => records.started(id, pid)),
    ended: () => quietly(() => records.endedForGood(id)),
  };
}

function quietly(run: () => void, onError: (error: unknown) => void = () => {}): void {
  try {
    run();
  } catch (error) {
    onError(error);
  }
}

/**
 * Gets ready to stop what a command has started outside its process group; the answer does it.
 * `killAfterMs` lies between SIGTERM and SIGKILL.
 */
export type PrepareSweep = (
  command: { readonly id: string; readonly pid: number },
  killAfterMs: number,
) => () => Promise<unknown>;

interface RunProcessOptions {
  readonly clock: Clock;
  readonly shell: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly groups: ProcessGroups;
  readonly records?: RunningRecords;
  readonly prepareSweep?: PrepareSweep;
  /** Absent: the command is started as it is. */
  readonly launcher?: Launcher;
  /** Starts what the machine runs as it is; absent: a fork of this process does. */
  readonly spawner?: Spawner;
  readonly task: HostTask;
  readonly execution: Execution;
  readonly limits: RunLimits;
  readonly io: RunIo;
}

/** After SIGKILL: how long it may take to hear that a command has ended. */
const reportedMs = 2_000;

const lostNote =
  'The process that had started the command ended, so nobody could be told of its end. It was stopped.';

/** Nobody is told of its end any more: it ends now, wherever its processes have gone. */
function endLost(pid: number, { groups, prepareSweep, task }: RunProcessOptions): void {
  const sweep = prepareSweep?.({ id: task.id, pid }, 0);
  groups.kill(pid);
  if (sweep !== undefined) void sweep();
}

/** Starts one command in a process group of its own and follows it to its end. */
export async function runProcess(options: RunProcessOptions): Promise<RunOutcome> {
  const { clock, groups, limits, io } = options;
  if (io.signal.aborted) throw stoppedBeforeStart(io.signal);
  const line = commandLine(options.execution, options.shell, options.task.telling?.folder === true);
  const record = openRecord(options);
  const outputs = openOutputs(options.task.telling?.oneStream === true);
  const launched = start(options, line, { record, outputs });
  const started = await launched.started;
  if (!started.ok) {
    record.ended();
    outputs.dispose();
    const begun = options.launcher === undefined ? null : await launched.begun;
    if (begun?.ok === false && started.error === null)
      throw options.launcher?.refusal(begun) ?? cannotStart(null);
    if (options.launcher !== undefined) throw cannotStart(started.error);
    return notStarted(started.error, line.file, io);
  }
  const { pid } = started;

  groups.add(pid, record.ended);
  record.started(pid);
  let ending: RunOutcome['ending'] = 'exited';
  let cancelGivingUp: (() => void) | null = null;
  const stop = (why: RunOutcome['ending']): void => {
    if (ending === 'exited') ending = why;
    const sweep = options.prepareSweep?.({ id: options.task.id, pid }, limits.killAfterMs);
    groups.stop(pid, limits.killAfterMs);
    if (sweep !== undefined) void sweep();
    const { giveUp } = launched;
    if (giveUp !== undefined)
      cancelGivingUp ??= clock.after(limits.killAfterMs + reportedMs, () => giveUp(pid));
  };
  const onAbort = (): void => stop('stopped');
  io.signal.addEventListener('abort', onAbort, { once: true });
  if (isAborted(io.signal)) onAbort();
  const cancelTimeout = clock.after(limits.timeoutMs, () => stop('timed-out'));
  const begun = await launched.begun;
  if (begun.ok) io.started(pid);
  feed(launched.stdin, begun.ok ? io.stdin : null);

  const drains = outputs
    .of(launched.streams)
    .map(({ stream, from }) => drain(from, takerOf(stream, io), clock));
  const told = gatherFolder();
  if (launched.told !== null) drains.push(drain(launched.told, told.take, clock));
  const { exitCode, signal, unreached, behind, isLost } = await launched.ended;
  cancelTimeout();
  (cancelGivingUp as (() => void) | null)?.();
  if (isLost === true) endLost(pid, options);
  io.signal.removeEventListener('abort', onAbort);
  groups.leaderEnded(pid);
  // A launcher ends a moment after its command.
  void launched.gone.then(() => groups.leaderEnded(pid));
  for (const each of drains) each.leaderEnded();
  await Promise.all(drains.map(async (each) => each.done));
  if (!begun.ok) throw options.launcher?.refusal(begun) ?? cannotStart(null);
  const folder = exitCode === 0 ? told.folder() : null;
  return {
    ending,
    exitCode,
    signal,
    ...(begun.held !== null && { hold: begun.held }),
    ...(unreached === true && { unreached }),
    ...(behind === true && { behind }),
    ...(folder !== null && { folder }),
    ...(isLost === true && { notes: [lostNote] }),
  };
}

function start(
  options: RunProcessOptions,
  line: CommandLine,
  { record, outputs }: { readonly record: OpenRecord; readonly outputs: Outputs },
): Launch {
  const { task, io } = options;
  try {
    return launch({
      ...line,
      cwd: task.cwd,
      env: commandEnvironment(options.environment, task),
      tells: task.telling?.folder === true,
      stdio: [io.stdin === null ? 'ignore' : 'pipe', ...outputs.stdio],
      launcher: options.launcher,
      spawner: options.spawner,
    });
  } catch (error) {
    record.ended();
    outputs.dispose();
    options.launcher?.closed();
    throw error instanceof RefusalError ? error : cannotStart(error);
  } finally {
    outputs.release();
  }
}

/** What a shell would say and return for a program that cannot be started. */
async function notStarted(
  error: NodeJS.ErrnoException | null,
  file: string,
  io: RunIo,
): Promise<RunOutcome> {
  const exitCode = error?.code === 'ENOENT' ? 127 : error?.code === 'EACCES' ? 126 : null;
  if (exitCode === null) throw cannotStart(error);
  const words = exitCode === 127 ? 'command not found' : 'permission denied';
  await io.output('stderr', Buffer.from(`interlock: ${file}: ${words}\n`));
  return { ending: 'exited', exitCode, signal: null };
}

function cannotStart(error: unknown): Error {
  const code = (error as NodeJS.ErrnoException | null)?.code ?? 'unknown error';
  return refuse(
    'host-unavailable',
    `The command could not be started (${code}).`,
    code === 'E2BIG' ? 'Pass less data as arguments.' : 'Try again later.',
    { cause: error },
  );
}

function feed(stdin: Writable | null, bytes: Uint8Array | null): void {
  if (bytes === null) return;
  // A command that does not read its input is no error.
  stdin?.on('error', () => {});
  stdin?.end(bytes);
}

function takerOf(stream: OutputStream, io: RunIo): (bytes: Uint8Array) => void | Promise<void> {
  return async (bytes) => io.output(stream, bytes);
}

/** A fresh look: the compiler would take the answer of the first one for granted. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

/** What one command sees: the caller's variables over the base, and over both what its host gives; `INTERLOCK_*` is the runner's. */
function commandEnvironment(
  base: Readonly<Record<string, string>>,
  { env: asked, given, id }: Pick<HostTask, 'env' | 'given' | 'id'>,
): Record<string, string> {
  const own = Object.entries(asked).filter(([name]) => !name.startsWith('INTERLOCK_'));
  return { ...base, ...Object.fromEntries(own), ...given, [runVariable]: id };
}
