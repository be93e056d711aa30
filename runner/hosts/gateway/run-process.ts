import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { Execution } from '../../../shared/analysis/types.ts';
import { refuse } from '../../../shared/refusal/refusal.ts';
import type { Clock } from '../../../shared/clock/types.ts';
import type { RunningRecords } from '../../../shared/node/running-record/types.ts';
import type { HostTask, OutputStream, RunIo, RunLimits, RunOutcome } from '../types.ts';
import { stoppedBeforeStart } from '../../running/refusal.ts';
import { commandLine } from './command-line.ts';
import { drain } from './drain.ts';
import { commandEnvironment } from './environment.ts';
import { openRecord } from './open-record.ts';
import type { OpenRecord } from './open-record.ts';
import type { ProcessGroups } from './process-group.ts';

export interface RunProcessOptions {
  readonly clock: Clock;
  readonly shell: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly groups: ProcessGroups;
  readonly records?: RunningRecords;
  readonly task: HostTask;
  readonly execution: Execution;
  readonly limits: RunLimits;
  readonly io: RunIo;
}

/** Starts one command in a process group of its own and follows it to its end. */
export async function runProcess(options: RunProcessOptions): Promise<RunOutcome> {
  const { clock, groups, limits, io } = options;
  if (io.signal.aborted) throw stoppedBeforeStart(io.signal);
  const line = commandLine(options.execution, options.shell);
  const record = openRecord(options);
  const child = start(options, record);
  const spawnError = await startedOrFailed(child);
  const { pid } = child;
  if (spawnError !== null || pid === undefined) {
    record.ended();
    return notStarted(spawnError, line.file, io);
  }

  groups.add(pid, record.ended);
  record.started(pid);
  let ending: RunOutcome['ending'] = 'exited';
  const stop = (why: RunOutcome['ending']): void => {
    if (ending === 'exited') ending = why;
    groups.stop(pid, limits.killAfterMs);
  };
  const onAbort = (): void => stop('stopped');
  io.signal.addEventListener('abort', onAbort, { once: true });
  if (isAborted(io.signal)) onAbort();
  const cancelTimeout = clock.after(limits.timeoutMs, () => stop('timed-out'));
  io.started(pid);
  feed(child, io.stdin);

  const ended = leaderEnd(child);
  const drains = (['stdout', 'stderr'] as const).map((name) =>
    drain(child[name] as Readable, takerOf(name, io), clock),
  );
  const { exitCode, signal } = await ended;
  cancelTimeout();
  io.signal.removeEventListener('abort', onAbort);
  groups.leaderEnded(pid);
  for (const each of drains) each.leaderEnded();
  await Promise.all(drains.map(async (each) => each.done));
  return { ending, exitCode, signal };
}

function start(options: RunProcessOptions, record: OpenRecord): ChildProcess {
  const { task, io } = options;
  const { file, argv0, args } = commandLine(options.execution, options.shell);
  try {
    return spawn(file, args, {
      argv0,
      cwd: task.cwd,
      env: commandEnvironment(options.environment, task.env, task.id),
      detached: true,
      shell: false,
      stdio: [io.stdin === null ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
  } catch (error) {
    record.ended();
    throw cannotStart(error);
  }
}

async function startedOrFailed(child: ChildProcess): Promise<NodeJS.ErrnoException | null> {
  return new Promise((resolve) => {
    child.once('spawn', () => resolve(null));
    child.once('error', resolve);
  });
}

async function leaderEnd(child: ChildProcess): Promise<Pick<RunOutcome, 'exitCode' | 'signal'>> {
  return new Promise((resolve) => {
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }));
  });
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

function feed(child: ChildProcess, stdin: Uint8Array | null): void {
  if (stdin === null) return;
  // A command that does not read its input is no error.
  child.stdin?.on('error', () => {});
  child.stdin?.end(stdin);
}

function takerOf(stream: OutputStream, io: RunIo): (bytes: Uint8Array) => void | Promise<void> {
  return async (bytes) => io.output(stream, bytes);
}

/** A fresh look: the compiler would take the answer of the first one for granted. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}
