import { Command, Option } from 'commander';
import { once } from 'node:events';
import { fstatSync, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { refusalOf, refuse } from '../../../shared/base/index.ts';
import type { Refusal } from '../../../shared/base/index.ts';
import { askModes, securityModes } from '../../../shared/engine/index.ts';
import { clientSocket, homePaths, looksLocked } from '../../../shared/home/index.ts';
import { runnerClient } from '../../../shared/ipc/index.ts';
import { maxResultLength, truncationMark } from '../../../shared/wire/index.ts';
import type { ExecEvent, RedeemRequest } from '../../../shared/wire/index.ts';
import type { CommandModule } from '../command-table.ts';
import { CliError, refusalLines } from '../failure.ts';
import { exitCodeOfRefusal, exitCodeOfSignal, exitCodes, say, sayJson } from '../io.ts';
import type { Io, Output, StopSignal } from '../io.ts';
import { collect, sayDuration } from '../options.ts';
import { folderOf, requestOf } from '../request.ts';
import type { RunOptions } from '../request.ts';
import { speakerOf } from '../signing-key.ts';

export type OutputEvent = Extract<ExecEvent, { type: 'stdout' | 'stderr' }>;
type FinishedEvent = Extract<ExecEvent, { type: 'finished' }>;

/** Where a command's output goes, and how its end is told. */
interface OutputSink {
  write(event: OutputEvent): Promise<void>;
  finished(event: FinishedEvent): void;
  refused(id: string | null, refusal: Refusal): void;
}

/** Passes bytes on as they come, no faster than the reader takes them. */
export function streamingSink(
  streams: { readonly stdout: Output; readonly stderr: Output },
  { tellFolder = false }: Pick<RunOptions, 'tellFolder'> = {},
): OutputSink {
  return {
    write: async (event) => {
      const stream = streams[event.type];
      if (!stream.write(bytesOf(event)) && !stream.destroyed) await once(stream, 'drain');
    },
    finished: ({ folder }) => {
      if (tellFolder && folder !== undefined) writeSync(folderDescriptor, folder);
    },
    refused: () => undefined,
  };
}

/** Collects everything and prints one JSON object at the end. Both streams share one cap. */
function jsonSink(stdout: Output): OutputSink {
  const texts = { stdout: '', stderr: '' };
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  let truncated = false;
  return {
    write: async (event) => {
      const text = decoders[event.type].decode(bytesOf(event), { stream: true });
      const left = maxResultLength - texts.stdout.length - texts.stderr.length;
      if (text.length > left && !truncated) {
        truncated = true;
        texts[event.type] += text.slice(0, left) + truncationMark;
      } else if (!truncated) texts[event.type] += text;
      return Promise.resolve();
    },
    finished: ({ id, exitCode, signal, durationMs }) => {
      sayJson(stdout, { ok: true, id, exitCode, signal, durationMs, ...texts, truncated });
    },
    refused: (id, refusal) => {
      sayJson(stdout, { ok: false, id, refusal });
    },
  };
}

function bytesOf(event: OutputEvent): Buffer {
  return Buffer.from(event.data, event.encoding);
}

/** Waits between attempts while the runner says `rate-limit`, in milliseconds: some 40 s in all. */
export const rateLimitDelays = [500, 1000, 2000, 4000, 8000, 8000, 8000, 8000] as const;

/** Waits, or rejects as soon as the signal is aborted. */
type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

const sleep: Sleep = async (ms, signal) => {
  await delay(ms, undefined, { signal });
};

/** What may stand beside `--ticket`: how the result is told, and nothing about what runs. */
const told: ReadonlySet<string> = new Set([
  'ticket',
  'tellFolder',
  'json',
  'verbose',
] satisfies (keyof RunOptions)[]);

/**
 * The request that `--ticket` stands for. Command, agent and session are those that the ticket was
 * issued for, so none of them may be given with it.
 */
function redemptionOf(
  ticket: string,
  words: readonly string[],
  options: RunOptions,
  io: Io,
): RedeemRequest {
  const others = Object.keys(options).filter((name) => !told.has(name));
  if (words.length > 0 || others.length > 0)
    throw new CliError(
      'A ticket stands for one command as it was allowed; nothing can be added to it.',
      'Use --ticket alone, or leave it out and give the command.',
    );
  if (!/^[A-Za-z0-9_-]{43}$/.test(ticket))
    throw new CliError(
      'That is not a ticket.',
      'Tickets come from an agent hook; a command is run with: interlock run -- PROGRAM.',
    );
  return {
    ticket,
    cwd: folderOf(io),
    ...(options.json !== true && isOneStream() && { oneStream: true }),
    ...(options.tellFolder === true && { tellFolder: true }),
  };
}

/** Whether standard output and error lead to the same place, so that their order shows there. */
function isOneStream(): boolean {
  try {
    const [out, err] = [fstatSync(1), fstatSync(2)];
    return out.dev === err.dev && out.ino === err.ino;
  } catch {
    return false;
  }
}

/** The descriptor on which a shell of an agent's host waits to hear where the command ended. */
const folderDescriptor = 3;

interface RunParts {
  /** Sends the request once; called again where the runner says `rate-limit`. */
  readonly start: (signal: AbortSignal) => AsyncIterable<ExecEvent>;
  readonly sink: OutputSink;
  readonly io: Io;
  readonly sleep: Sleep;
  /** Whether everything is locked by now; looked at while the runner is silent. */
  readonly isLocked?: () => boolean;
  /** Tell a person on stderr what is being waited for. */
  readonly chatty: boolean;
}

/** Runs one request to its end and resolves with the exit status of `interlock run`. */
export async function runRequest(parts: RunParts): Promise<number> {
  const { io } = parts;
  const stop = new AbortController();
  let stoppedBy: StopSignal | null = null;
  const unlisten = io.onSignal((signal) => {
    stoppedBy ??= signal;
    stop.abort();
  });
  try {
    return await attempts(parts, stop.signal);
  } catch (error) {
    if (stoppedBy === null) throw error;
    return exitCodeOfSignal(stoppedBy);
  } finally {
    unlisten();
  }
}

async function attempts(parts: RunParts, signal: AbortSignal): Promise<number> {
  for (const pause of [...rateLimitDelays, null]) {
    const end = await attempt(parts, signal);
    if (end.type === 'finished') {
      parts.sink.finished(end);
      return exitCodeOf(end);
    }
    if (end.refusal.code !== 'rate-limit' || pause === null) return refused(end, parts);
    if (parts.chatty)
      say(parts.io.stderr, `interlock: too many requests, trying again in ${sayDuration(pause)}`);
    await parts.sleep(pause, signal);
  }
  throw new Error('unreachable: the last attempt always ends');
}

type End =
  | FinishedEvent
  | { readonly type: 'refused'; readonly id: string | null; readonly refusal: Refusal };

async function attempt(parts: RunParts, signal: AbortSignal): Promise<End> {
  try {
    for await (const event of untilLocked(parts, signal)) {
      if (event.type === 'finished' || event.type === 'refused') return event;
      await onEvent(event, parts);
    }
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === undefined) throw error;
    return { type: 'refused', id: null, refusal };
  }
  throw new Error('the stream of events ended without an end of the command');
}

/** How often a client that waits looks at the lock, in milliseconds. */
const lockLookMs = 500;

/**
 * Sends the request and hands on the events as they come. Throws `lockout-active` where everything
 * is locked and the runner, which would have said so, was silent from one look to the next.
 */
async function* untilLocked(parts: RunParts, signal: AbortSignal): AsyncIterable<ExecEvent> {
  const silence = new AbortController();
  let heard = 0;
  let isLockedOut = false;
  const watch = async (): Promise<void> => {
    for (let before: number | null = null; ;) {
      await parts.sleep(lockLookMs, silence.signal);
      const locked = parts.isLocked?.() === true;
      isLockedOut = locked && before === heard;
      if (isLockedOut) return silence.abort();
      before = locked ? heard : null;
    }
  };
  if (parts.isLocked !== undefined) watch().catch(() => undefined);
  try {
    for await (const event of parts.start(AbortSignal.any([signal, silence.signal]))) {
      heard += 1;
      yield event;
    }
  } catch (error) {
    if (!isLockedOut) throw error;
    throw refuse(
      'lockout-active',
      'Everything is locked, and the runner does not answer any more.',
      'Stop and wait: only a person can unlock it, with "interlock unlock".',
      { cause: error },
    );
  } finally {
    silence.abort();
  }
}

async function onEvent(
  event: Exclude<ExecEvent, { type: 'finished' | 'refused' }>,
  { sink, io, chatty }: RunParts,
): Promise<void> {
  if (event.type === 'stdout' || event.type === 'stderr') return sink.write(event);
  if (event.type === 'pending' && chatty) {
    const left = sayDuration(event.expiresAt - io.now());
    say(
      io.stderr,
      `interlock: waiting for a person to decide (${left} left; here: interlock approve ${event.askId})`,
    );
  }
  return undefined;
}

function refused(end: Extract<End, { type: 'refused' }>, { sink, io }: RunParts): number {
  for (const line of refusalLines(end.refusal)) say(io.stderr, line);
  sink.refused(end.id, end.refusal);
  return exitCodeOfRefusal(end.refusal);
}

function exitCodeOf(end: FinishedEvent): number {
  if (end.exitCode !== null) return end.exitCode;
  return end.signal === null ? exitCodes.failed : exitCodeOfSignal(end.signal);
}

/** `interlock run`: one command through the gate. */
export const declare: CommandModule['declare'] = (io, done) =>
  new Command('run')
    .description('Runs one command through the gate, with its output and its exit status.')
    .argument('[words...]', 'program and arguments, run without a shell')
    .option('-c, --command <text>', 'shell text instead of separate words')
    .option('--ticket <id>', 'run what an agent hook was given this ticket for')
    .addOption(new Option('--tell-folder', 'where it ended, to descriptor 3').hideHelp())
    .option('--agent <name>', 'on whose behalf (default: main)')
    .option(
      '--key <file>',
      "sign with this key (default: INTERLOCK_KEY_FILE, else the agent's own)",
    )
    .option('--session <id>', 'the session that is told what happened')
    .option(
      '--host <host>',
      'the host it has to run on: gateway, this machine, or sandbox; where config.json says auto, gateway asks a person; tools: with a secret, as "interlock tool" says',
    )
    .option(
      '--node <name>',
      'the node it has to run on, with the host node; --cwd is a folder there',
    )
    .addOption(
      new Option('--security <mode>', 'tighten the policy for this command').choices(securityModes),
    )
    .addOption(new Option('--ask <mode>', 'ask more often than the policy').choices(askModes))
    .option('--user <name>', 'for which of "users" it is; can only lower how far it is trusted')
    .option('--channel <channel>', 'by which channel it came, as in signal:+4912345; likewise')
    .option('--group', 'others are in that channel; likewise')
    .option('--cwd <folder>', 'where it runs (default: here)')
    .option('--timeout <duration>', 'stop it after this long, as in 30s or 5m')
    .option('--reason <words>', 'why; shown to the person who is asked')
    .option('--stdin', 'send standard input, at most 10 MiB')
    .option('--env <NAME=VALUE>', 'set a variable; may be repeated', collect)
    .option('--pass-env <NAME>', 'pass a variable of yours on; may be repeated', collect)
    .option('--json', 'one JSON object with result and output at the end')
    .option('--verbose', 'say what is being waited for even when stderr is not a terminal')
    .passThroughOptions()
    .addHelpText(
      'after',
      `
Examples:
  interlock run -- git status
  interlock run -c 'ls | head -3 && date'
  interlock run --agent claude --timeout 30s -- npm test
  tar c src | interlock run --stdin -- tar t

Ctrl-C takes a waiting ask back, or stops the command.`,
    )
    .action(async (words: string[], options: RunOptions) => {
      done(
        await runRequest({
          start: await starterOf(words, options, io),
          sink: options.json === true ? jsonSink(io.stdout) : streamingSink(io, options),
          io,
          sleep,
          ...ownLock(io),
          chatty: options.verbose === true || io.stderr.isTTY === true,
        }),
      );
    });

/**
 * The lock to look at while the runner is silent: that of the home whose runner is asked. Nobody else
 * can see the lock of another user's runner, and a home that is not there would look like one.
 * Exported for its test.
 */
export function ownLock({ env }: Pick<Io, 'env'>): Pick<RunParts, 'isLocked'> {
  const paths = homePaths(env);
  if (clientSocket(env, paths) !== paths.runnerSocket) return {};
  return { isLocked: () => looksLocked(paths) };
}

/** How the request is sent: a command through the gate, or what a ticket was issued for. */
async function starterOf(
  words: readonly string[],
  options: RunOptions,
  io: Io,
): Promise<RunParts['start']> {
  const paths = homePaths(io.env);
  const socketPath = clientSocket(io.env, paths);
  if (options.ticket !== undefined) {
    const slip = redemptionOf(options.ticket, words, options, io);
    return (signal) => runnerClient({ socketPath }).redeem(slip, signal);
  }
  const { agent, sign } = speakerOf(options, io, paths);
  const named = { ...options, ...(agent !== undefined && { agent }) };
  const request = await requestOf(words, named, io);
  const client = runnerClient({ socketPath, ...(sign !== undefined && { sign }) });
  return (signal) => client.exec(request, signal);
}
