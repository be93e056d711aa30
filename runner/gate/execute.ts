import type { Clock, RefusalError } from '../../shared/base/index.ts';
import type { Hold } from '../../shared/engine/index.ts';
import { truncationMark } from '../../shared/wire/index.ts';
import type { ExecEvent } from '../../shared/wire/index.ts';
import type { OutputStream, RunOutcome } from '../hosts/host.ts';
import { requireGoing } from './ask.ts';
import { bind, requireContents } from './bind.ts';
import { driftAtStart } from './binding.ts';
import type { Binding } from './binding.ts';
import { createCapture, createPieces } from './output.ts';
import type { Captured, Piece } from './output.ts';
import type { GatePorts } from './ports.ts';
import { learn } from './request-context.ts';
import type { Call, GateIo, Permitted } from './request-context.ts';
import { canonicalOf, executionOf } from './route.ts';

/** Looks after what a command that has been started runs. */
export interface StartWatch {
  /** Looks now. The host calls it at the start and when the command first says something. */
  look(): void;
  /** Looks a last time, unless the command has run for long; what drifted, or null. */
  end(): RefusalError | null;
  /** Takes back the look that is still to come. */
  close(): void;
}

/** By then an interpreter has read what it was told to run. Later changes may be the command's own. */
const settledMs = 1000;

/**
 * Between the last check and the moment a kernel or an interpreter opens a file there is time for a
 * swap. No swap can hide: it leaves another file, another link or a newer change time behind. So a
 * look shortly afterwards finds it, and `stop` ends the command.
 */
function watchStart(approved: Binding, clock: Clock, stop: () => void): StartWatch {
  const since = clock.elapsed();
  let drift: RefusalError | null = null;
  const look = (): void => {
    if (drift !== null || clock.elapsed() - since > settledMs) return;
    drift = driftAtStart(approved);
    if (drift !== null) stop();
  };
  const cancel = clock.after(settledMs, look);
  return {
    look,
    end: () => {
      look();
      return drift;
    },
    close: cancel,
  };
}

export interface Executed {
  readonly outcome: RunOutcome;
  readonly durationMs: number;
  readonly output: Captured;
  /** Set where what runs turned out not to be what was approved. */
  readonly drift: RefusalError | null;
}

/**
 * Runs the command on its host. Drift, the stop switch and the caller are looked at once more right
 * before the start; a row in the log says that the start is about to happen.
 */
export async function execute(
  permitted: Permitted,
  call: Call,
  ports: GatePorts,
): Promise<Executed> {
  const { target, understood, verdict, binding, identity } = permitted;
  const { flight, io } = call;
  const { exec } = ports.config();
  await bind(permitted, ports);
  requireContents(verdict);
  requireGoing(flight);
  ports.audit.append({ type: 'starting', id: flight.id, at: ports.clock.now() });
  ports.stops.check();
  learn(permitted, { startedAt: ports.clock.now() });
  const since = ports.clock.elapsed();
  const sink = createSink(flight.id, io, createCapture(exec.outputCap, exec.eventTail));
  const swapped = new AbortController();
  const watch = watchStart(binding, ports.clock, () => swapped.abort());
  const hold = holdOf(permitted, ports);
  let silent = true;
  const outcome = await target.host
    .run(
      {
        id: flight.id,
        agent: identity.agent,
        ...(identity.session !== null && { session: identity.session }),
        overrides: identity.trust.overrides,
        execution: executionOf(understood),
        cwd: understood.command.cwd,
        env: understood.command.env ?? {},
        ...(hold !== null && { hold }),
        ...(io.telling !== undefined && { telling: io.telling }),
      },
      { timeoutMs: timeoutOf(permitted, exec), killAfterMs: exec.killGraceMs },
      {
        stdin: stdinOf(permitted),
        signal: AbortSignal.any([flight.signal, swapped.signal]),
        started: (pid) => {
          watch.look();
          announce(permitted, pid, call, ports);
        },
        output: (stream, bytes) => {
          if (silent) watch.look();
          silent = false;
          return sink.take(stream, bytes);
        },
      },
    )
    .finally(() => watch.close());
  const drift = watch.end();
  await sink.end();
  const durationMs = Math.round(ports.clock.elapsed() - since);
  return { outcome, durationMs, output: sink.captured(), drift };
}

/** What a rule allows is held to what the rule was asked about. A person's yes is to all of it. */
function holdOf(
  { permission, understood: { analysis } }: Permitted,
  { engine, config }: Pick<GatePorts, 'engine' | 'config'>,
): Hold | null {
  const isAsked = config().exec.enforce === 'on' && permission.code === 'rule-allow';
  return isAsked && analysis.ok ? engine.hold(analysis.plan) : null;
}

function announce(
  { identity, understood, target }: Permitted,
  pid: number,
  { flight, io }: Call,
  ports: GatePorts,
): void {
  const startedAt = ports.clock.now();
  const command = shortened(understood.text);
  flight.started({ agent: identity.agent, command, pid, startedAt });
  const node = target.node ?? target.host.name;
  ports.events.add(identity.session, { type: 'started', node, id: flight.id });
  void io.emit({ type: 'started', id: flight.id, pid, canonical: canonicalOf(understood) });
}

function timeoutOf(
  { incoming }: Permitted,
  exec: { readonly timeoutMs: number; readonly maxTimeoutMs: number },
): number {
  const wanted = incoming.kind === 'exec' ? incoming.request.timeoutMs : undefined;
  return Math.min(wanted ?? exec.timeoutMs, exec.maxTimeoutMs);
}

function stdinOf({ incoming }: Permitted): Uint8Array | null {
  const stdin = incoming.kind === 'exec' ? incoming.request.stdin : undefined;
  return stdin === undefined ? null : Buffer.from(stdin, 'base64');
}

function shortened(text: string): string {
  return text.length > 500 ? text.slice(0, 500) + truncationMark : text;
}

/** Turns bytes into events and keeps the capped copy. */
function createSink(id: string, io: GateIo, capture: ReturnType<typeof createCapture>) {
  const pieces = { stdout: createPieces(), stderr: createPieces() };
  const send = (stream: OutputStream, piece: Piece | null): void | Promise<void> => {
    if (piece === null) return;
    const text =
      piece.encoding === 'utf8' ? piece.data : Buffer.from(piece.data, 'base64').toString('utf8');
    capture.add(stream, text);
    return io.emit({ type: stream, id, ...piece } satisfies ExecEvent);
  };
  return {
    take: (stream: OutputStream, bytes: Uint8Array) => send(stream, pieces[stream].push(bytes)),
    end: async (): Promise<void> => {
      for (const stream of ['stdout', 'stderr'] as const) await send(stream, pieces[stream].end());
    },
    captured: () => capture.result(),
  };
}
