import { refuse } from '../../shared/base/index.ts';
import type { Clock, RefusalError } from '../../shared/base/index.ts';
import type { Hold } from '../../shared/engine/index.ts';
import { truncationMark } from '../../shared/wire/index.ts';
import type { ExecEvent } from '../../shared/wire/index.ts';
import { createMasker } from '../audit/known-secrets.ts';
import type { OutputStream, RunOutcome, GateIo } from '../hosts/host.ts';
import { requireGoing } from './ask.ts';
import { boundaryLine, brokenShellLine, lateLines } from './boundary.ts';
import { bind, requireContents } from './bind.ts';
import { driftAtStart } from './binding.ts';
import type { Binding } from './binding.ts';
import { createCapture, createPieces } from './output.ts';
import type { Captured, Piece } from './output.ts';
import type { GatePorts } from './ports.ts';
import { learn } from './request-context.ts';
import type { Call, Permission, Permitted, Understood } from './request-context.ts';
import { canonicalOf, executionOf } from './route.ts';
import { executeThere } from './there.ts';

/** Looks after what a command that has been started runs. */
interface StartWatch {
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

/**
 * Has the workspace kept as it is, so that what the command changes can be taken back; whether it
 * is. What a rule or a person has allowed runs all the same; nothing else does.
 */
async function keep(
  { id, identity, target, understood, permission }: Permitted,
  { undo, log }: Pick<GatePorts, 'undo' | 'log'>,
): Promise<boolean> {
  const { agent } = identity;
  const { cwd } = understood.command;
  const host = target.host.name;
  const keeping = await undo.before({ id, agent, host, cwd, command: understood.text });
  if (keeping.kind !== 'no') return keeping.kind === 'kept';
  if (isUnasked(permission))
    throw refuse(
      'host-unavailable',
      `What this command changes could not be taken back, so it was not run unasked: ${keeping.why}.`,
      'Ask a person, or have one mend it or set undo.on in config.json to off.',
    );
  log.warn(`What ${id} changes cannot be taken back: ${keeping.why}.`);
  return false;
}

/** Allowed by nobody's word for it, only because it can do no harm where it runs. */
function isUnasked({ code }: Permission): boolean {
  return code === 'sandbox-unasked';
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
  const { host } = permitted.target;
  requireGoing(call.flight);
  if (host.there !== undefined) return executeThere(permitted, call, ports, host.there);
  const onlyLooks = isKnownToLook(permitted, ports);
  // It may take a while: what was approved is looked at afterwards.
  const isKept = onlyLooks ? false : await keep(permitted, ports);
  const group = { pid: 0 };
  try {
    return await run(permitted, call, ports, { group, onlyLooks });
  } finally {
    if (isKept) ports.undo.after(permitted.id, () => host.groups().includes(group.pid));
  }
}

async function run(
  permitted: Permitted,
  call: Call,
  ports: GatePorts,
  { group, onlyLooks }: { readonly group: { pid: number }; readonly onlyLooks: boolean },
): Promise<Executed> {
  const { target, understood, verdict, binding, identity, brokered } = permitted;
  const { flight, io } = call;
  const { exec } = ports.config();
  await ports.vault?.refresh();
  const seen = await bind(permitted, ports);
  requireContents(verdict);
  if (brokered !== undefined) await ports.broker?.requireSame(brokered);
  requireGoing(flight);
  requireSandbox(permitted);
  ports.audit.append({ type: 'starting', id: flight.id, at: ports.clock.now() });
  ports.stops.check();
  const named = permitted.incoming.starting?.() ?? null;
  learn(permitted, { startedAt: ports.clock.now() });
  const since = ports.clock.elapsed();
  const sink = createSink(flight.id, io, createCapture(exec.outputCap, exec.eventTail));
  const swapped = new AbortController();
  const watch = watchStart(binding, ports.clock, () => swapped.abort());
  const hold = holdOf(permitted, seen, ports);
  let silent = true;
  const ended = await target.host
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
        ...(brokered !== undefined && { tool: brokered.policy }),
        ...(named !== null && { named }),
        ...(onlyLooks && { onlyLooks }),
        ...(isHeldMost(permitted) && { unasked: true }),
        ...(io.telling !== undefined && { telling: io.telling }),
        ...(ports.asker !== undefined && { asks: ports.asker(permitted) }),
      },
      { timeoutMs: timeoutOf(permitted, exec), killAfterMs: exec.killGraceMs },
      {
        stdin: stdinOf(permitted),
        signal: AbortSignal.any([flight.signal, swapped.signal]),
        started: (pid) => {
          watch.look();
          group.pid = pid;
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
  const outcome = await toldOfLock(ended, flight, ports);
  const drift = watch.end();
  ports.tries?.failed(permitted, outcome);
  const line = boundaryLine(permitted, outcome, sink.captured());
  if (line !== null) await sink.take('stderr', Buffer.from(line));
  await tellOfShell(permitted, outcome, sink, ports);
  const late = lateLines(identity.session, ports);
  if (late !== null) await sink.take('stderr', Buffer.from(late));
  await sink.end();
  const durationMs = Math.round(ports.clock.elapsed() - since);
  return { outcome, durationMs, output: sink.captured(), drift };
}

/** The first sign of a broken shell gets the agent a sentence; each is an event of the session. */
async function tellOfShell(
  permitted: Permitted,
  outcome: RunOutcome,
  sink: ReturnType<typeof createSink>,
  { shells, events, audit, clock }: GatePorts,
): Promise<void> {
  const broken = shells?.look(permitted, outcome, sink.captured()) ?? null;
  if (broken === null) return;
  const { identity, target, id } = permitted;
  const { isFirst } = broken;
  const node = target.node ?? target.host.name;
  events.add(identity.session, { type: 'shell-broken', node, id, isFirst });
  if (!isFirst) return;
  const text = `${identity.agent}, ${identity.session ?? 'no session'}: ${id}`;
  audit.append({ type: 'note', at: clock.now(), code: 'shell-broken', text });
  await sink.take('stderr', Buffer.from(brokenShellLine));
}

/** Who locks from outside stops commands first and writes the lock then; by now it is written. */
const lockWrittenMs = 100;

/** 128 and the number of SIGTERM or SIGKILL: a shell whose command was ended so. */
const endedBySignal: readonly (number | null)[] = [143, 137];

/**
 * A command that the lock of another process has ended, before this one knew of the lock, did not
 * end by itself, and its agent is told so.
 */
async function toldOfLock(
  outcome: RunOutcome,
  { signal }: Call['flight'],
  { stops, clock }: Pick<GatePorts, 'stops' | 'clock'>,
): Promise<RunOutcome> {
  const { ending, exitCode } = outcome;
  const isKilled = outcome.signal !== null || endedBySignal.includes(exitCode);
  if (ending !== 'exited' || !isKilled || signal.aborted) return outcome;
  stops.look();
  if (!signal.aborted) {
    await new Promise<void>((resolve) => void clock.after(lockWrittenMs, resolve));
    stops.look();
  }
  return signal.aborted ? { ...outcome, ending: 'stopped' } : outcome;
}

/** Allowed for being in the sandbox, or asked about only because that cannot be taken back. */
function isHeldMost({ permission, verdict, target }: Permitted): boolean {
  if (target.host.name !== 'sandbox') return false;
  return isUnasked(permission) || verdict.reason === 'not-kept';
}

/** Nobody allowed it but for where it runs: anywhere else it does not start. */
function requireSandbox({ permission, target }: Permitted): void {
  if (permission.code !== 'sandbox-unasked' || target.host.name === 'sandbox') return;
  throw new Error('what only the sandbox makes harmless was about to run elsewhere');
}

/** What a rule allows is held to what the rule was asked about. A person's yes is to all of it. */
function holdOf(
  { permission, brokered, understood: { analysis } }: Permitted,
  seen: Understood,
  { engine, config }: Pick<GatePorts, 'engine' | 'config'>,
): Hold | null {
  // Its folder and its repository are made for it, which the analysis has not seen: its host holds it.
  if (brokered !== undefined) return null;
  const isAsked = config().exec.enforce === 'on' && permission.code === 'rule-allow';
  return isAsked && analysis.ok ? engine.hold(analysis.plan, seen.analysis) : null;
}

/**
 * Then nothing is kept for undo: what a program does that is not known of it fails in the sandbox,
 * whoever allowed the command.
 */
function isKnownToLook(
  { target, brokered, understood: { analysis } }: Permitted,
  { engine }: Pick<GatePorts, 'engine'>,
): boolean {
  if (target.host.name !== 'sandbox' || brokered !== undefined || !analysis.ok) return false;
  return engine.onlyLooks(analysis.plan);
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
  { incoming, brokered }: Permitted,
  exec: { readonly timeoutMs: number; readonly maxTimeoutMs: number },
): number {
  const wanted = incoming.kind === 'exec' ? incoming.request.timeoutMs : undefined;
  const most = Math.min(exec.maxTimeoutMs, (brokered?.policy.timeout ?? Infinity) * 1_000);
  return Math.min(wanted ?? exec.timeoutMs, most);
}

function stdinOf({ incoming }: Permitted): Uint8Array | null {
  const stdin = incoming.kind === 'exec' ? incoming.request.stdin : undefined;
  return stdin === undefined ? null : Buffer.from(stdin, 'base64');
}

function shortened(text: string): string {
  return text.length > 500 ? text.slice(0, 500) + truncationMark : text;
}

/** Turns bytes, without the secrets that are kept here, into events and keeps the capped copy. */
function createSink(id: string, io: GateIo, capture: ReturnType<typeof createCapture>) {
  const pieces = { stdout: createPieces(), stderr: createPieces() };
  const masks = { stdout: createMasker(), stderr: createMasker() };
  const send = (stream: OutputStream, piece: Piece | null): void | Promise<void> => {
    if (piece === null) return;
    const text =
      piece.encoding === 'utf8' ? piece.data : Buffer.from(piece.data, 'base64').toString('utf8');
    capture.add(stream, text);
    return io.emit({ type: stream, id, ...piece } satisfies ExecEvent);
  };
  return {
    take: (stream: OutputStream, bytes: Uint8Array) =>
      send(stream, pieces[stream].push(masks[stream].push(bytes))),
    end: async (): Promise<void> => {
      for (const stream of ['stdout', 'stderr'] as const) {
        await send(stream, pieces[stream].push(masks[stream].end()));
        await send(stream, pieces[stream].end());
      }
    },
    captured: () => capture.result(),
  };
}
