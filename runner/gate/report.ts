import { refusalOf, refuse, messageOf } from '../../shared/base/index.ts';
import type { Refusal, RefusalCode } from '../../shared/base/index.ts';
import type { OutcomeRow } from '../audit/rows.ts';
import { wordsOfHold } from '../hosts/sandbox/report.ts';
import type { Executed } from './execute.ts';
import { stopReasonOf, stoppedRefusal } from './in-flight.ts';
import type { RequestInFlight } from './in-flight.ts';
import type { GatePorts } from './ports.ts';
import { recordRefusal } from './record.ts';
import type { Call, GateResult, Refused, RequestContext } from './request-context.ts';
import type { GateIo } from '../hosts/host.ts';

type ReportPorts = Pick<GatePorts, 'audit' | 'events' | 'clock' | 'config' | 'log'>;

/** Tells the log, the session and the caller how a command ended. */
export async function reportEnd(
  context: RequestContext,
  executed: Executed,
  { flight, io }: Call,
  ports: ReportPorts,
): Promise<GateResult> {
  const { outcome, durationMs, output } = executed;
  const { exitCode, signal } = outcome;
  const refusal = refusalAfterStart(executed, flight);
  // It is in the log now. Whoever waits for the command does not wait for the disk as well.
  void writeOutcome(ports, {
    ...outcomeRow(context, ports),
    outcome: 'executed',
    exitCode,
    signal,
    durationMs,
    code: refusal?.code ?? null,
    ...(outcome.hold !== undefined && { hold: wordsOfHold(outcome.hold) }),
    ...(outcome.planted !== undefined && { planted: outcome.planted.slice(0, mostPlanted) }),
    ...(outcome.notes !== undefined && { notes: outcome.notes.slice(0, mostPlanted) }),
  });
  ports.events.add(context.session, {
    type: 'finished',
    node: nodeOf(context),
    id: context.id,
    code: outcome.ending === 'timed-out' ? 'timeout' : String(exitCode ?? signal ?? 'unknown'),
    tail: output.tail,
  });
  if (refusal !== null) {
    await io.emit({ type: 'refused', id: context.id, refusal });
    return { ok: false, id: context.id, refusal };
  }
  const { truncated } = output;
  await io.emit({
    type: 'finished',
    id: context.id,
    exitCode,
    signal,
    durationMs,
    truncated,
    ...(outcome.folder !== undefined && { folder: outcome.folder }),
  });
  return { ok: true, id: context.id, outcome, durationMs, output };
}

/** More would not be read; that there are any is what matters. */
const mostPlanted = 50;

/** Closes the row of what the host of an agent carries out itself. */
export async function reportHandedOver(context: RequestContext, ports: ReportPorts): Promise<void> {
  await writeOutcome(ports, {
    ...outcomeRow(context, ports),
    ...nothingKnown,
    outcome: 'handed-over',
    code: null,
  });
}

/** Closes the row of a permission that nobody used: too late, or taken back. */
export async function reportUnused(
  context: RequestContext,
  code: RefusalCode,
  ports: Pick<ReportPorts, 'audit' | 'clock' | 'log'>,
): Promise<void> {
  await writeOutcome(ports, {
    ...outcomeRow(context, ports),
    ...nothingKnown,
    outcome: 'not-executed',
    code,
  });
}

const nothingKnown = { exitCode: null, signal: null, durationMs: null } as const;

/** Turns whatever went wrong into a refusal, and tells the log, the session and the caller. */
export async function reportRefusal(
  context: RequestContext,
  error: unknown,
  io: GateIo,
  ports: ReportPorts,
): Promise<Refused> {
  const refusal = refusalFrom(error, ports);
  if (context.recorded !== true) await recordRefusal(context, refusal, ports);
  else
    await writeOutcome(ports, {
      ...outcomeRow(context, ports),
      outcome:
        context.isUncertain === true ||
        (refusalOf(error) === undefined && context.startedAt !== undefined)
          ? 'unknown'
          : 'not-executed',
      ...nothingKnown,
      code: refusal.code,
    });
  ports.events.add(context.session, {
    type: 'denied',
    node: nodeOf(context),
    id: context.id,
    reason: refusal.code,
  });
  await io.emit({ type: 'refused', id: context.id, refusal });
  return { ok: false, id: context.id, refusal };
}

/** A command that was cut off is told as a refusal, although it did run. */
function refusalAfterStart(
  { outcome, durationMs, drift }: Executed,
  flight: RequestInFlight,
): Refusal | null {
  if (drift !== null) return drift.refusal;
  if (outcome.ending === 'timed-out')
    return refuse(
      'command-timeout',
      `The command was stopped after ${Math.round(durationMs / 1000)} s.`,
      'Ask for more time with a longer timeout, or run less at once.',
    ).refusal;
  if (outcome.ending !== 'stopped') return null;
  return stoppedRefusal(stopReasonOf(flight.signal)).refusal;
}

/** An unknown error is a bug or a fault of the machine: details go to the local log only. */
function refusalFrom(error: unknown, { log }: Pick<GatePorts, 'log'>): Refusal {
  const known = refusalOf(error);
  if (known !== undefined) {
    if (error instanceof Error && error.cause !== undefined) log.warn(causeOf(known, error.cause));
    return known;
  }
  log.error('The gate failed and refused', error);
  return refuse(
    'host-unavailable',
    'Interlock failed inside and refused to be safe.',
    'Have a person look at the log of the runner.',
  ).refusal;
}

function causeOf({ code }: Refusal, cause: unknown): string {
  return `${code}: ${messageOf(cause)}`;
}

function outcomeRow({ id }: RequestContext, { clock }: Pick<GatePorts, 'clock'>) {
  return { type: 'outcome', id, at: clock.now() } as const;
}

/** The command has run, or has not: nothing can be taken back, so a failure is only logged. */
async function writeOutcome(
  { audit, log }: Pick<GatePorts, 'audit' | 'log'>,
  row: OutcomeRow,
): Promise<void> {
  try {
    await audit.durable(row);
  } catch (error) {
    log.error(`The outcome of ${row.id} could not be written down`, error);
  }
}

function nodeOf({ target, incoming }: RequestContext): string {
  return target?.node ?? target?.host.name ?? incoming.request.host ?? 'gateway';
}
