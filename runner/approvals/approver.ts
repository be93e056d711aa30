import { refusalOf, refuse } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import type { Ask, Decision, WithdrawReason } from '../../shared/engine/index.ts';
import type { RunningRecords } from '../../shared/home/index.ts';
import type { AnswerProof } from '../audit/rows.ts';
import { stopReasonOf } from '../gate/in-flight.ts';
import type { Approver, AskDraft, AskEnding, AskOptions } from '../gate/ports.ts';
import type { ApproverLink } from './link.ts';
import type { PendingAsks } from './pending.ts';

export interface ApproverOptions {
  readonly clock: Clock;
  readonly link: ApproverLink;
  readonly pending: PendingAsks;
  /** Asks that may wait at once. */
  readonly mostPending: () => number;
  /** The passkey that signed for an answer; null where it needs none. Throws a refusal otherwise. */
  readonly prove: (ask: Ask, decision: Decision) => Promise<AnswerProof | null>;
  /** An answer did not carry what it needs; for the record. */
  readonly unproven: (detail: string) => void;
  /** Registers what to call when rules or grants have changed. */
  readonly onRules: (listener: () => void) => void;
}

/** Rules that are saved together come as one change; and nothing is decided in the middle of another. */
const settleMs = 20;

/** Looks at every ask that waits when rules or grants have changed. */
function watchRules({ clock, onRules }: Pick<ApproverOptions, 'clock' | 'onRules'>) {
  const waiting = new Set<() => void>();
  let cancel: (() => void) | null = null;
  const changed = (): void => {
    if (waiting.size === 0) return;
    cancel ??= clock.after(settleMs, () => {
      cancel = null;
      for (const look of waiting) look();
    });
  };
  onRules(changed);
  return {
    changed,
    add: (look: () => void): (() => void) => {
      waiting.add(look);
      return () => waiting.delete(look);
    },
  };
}

/** Asks the person at the approver. The deadline is kept here and nowhere else. */
export function createApprover(approver: ApproverOptions): Approver {
  const { clock, link, pending, mostPending } = approver;
  const rules = watchRules(approver);
  return {
    ask: async (draft, options) => {
      if (options.signal.aborted) return stopped(options.signal);
      const reached = await link.reach();
      if (reached.kind !== 'session') return reached;
      if (options.signal.aborted) return stopped(options.signal);
      if (pending.list().length >= mostPending())
        throw refuse(
          'concurrency-busy',
          'Too many questions wait for a person already.',
          'Wait until some of them are answered.',
        );
      const ask = timed(draft, clock.now(), options.timeoutMs);
      const ended = pending.add(ask, reached.session.ask(ask));
      options.onPending(ask);
      const leave = rules.add(() => {
        if (isCovered(options)) pending.end(ask.id, { kind: 'covered' });
      });
      // They may have changed while the question was put together.
      rules.changed();
      const ending = await untilEnded(ask, ended, { clock, pending, options }).finally(leave);
      if (ending.kind !== 'lost') reached.session.withdraw(ask.id, reasonOf(ending));
      return proven(ending, approver, options.signal);
    },
  };
}

/** A yes without the passkey that it needs is none. Whoever gave it was somebody, so nothing falls back. */
async function proven(
  ending: AskEnding,
  { prove, unproven }: Pick<ApproverOptions, 'prove' | 'unproven'>,
  signal: AbortSignal,
): Promise<AskEnding> {
  if (ending.kind !== 'decided' || ending.decision.decision === 'deny') return ending;
  try {
    const proof = await prove(ending.ask, ending.decision);
    if (signal.aborted) return stopped(signal);
    return proof === null ? ending : { ...ending, proof };
  } catch (error) {
    const why = refusalOf(error)?.message ?? 'It could not be checked.';
    const detail = `The yes did not come with the passkey that it needs. ${why}`;
    unproven(detail);
    return { kind: 'lost', detail };
  }
}

function isCovered({ covered }: AskOptions): boolean {
  try {
    return covered();
  } catch {
    // A policy that is not valid, or a lock: a person's answer, or the stop itself, ends the ask.
    return false;
  }
}

function timed(draft: AskDraft, now: number, timeoutMs: number): Ask {
  return { ...draft, createdAt: now, expiresAt: now + timeoutMs };
}

async function untilEnded(
  ask: Ask,
  ended: Promise<AskEnding>,
  {
    clock,
    pending,
    options,
  }: Pick<ApproverOptions, 'clock' | 'pending'> & {
    readonly options: AskOptions;
  },
): Promise<AskEnding> {
  const { signal, timeoutMs } = options;
  const cancel = clock.after(timeoutMs, () => pending.end(ask.id, { kind: 'expired' }));
  const onAbort = (): void => void pending.end(ask.id, stopped(signal));
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await ended;
  } finally {
    cancel();
    signal.removeEventListener('abort', onAbort);
  }
}

function stopped(signal: AbortSignal): AskEnding {
  return { kind: 'stopped', reason: stopReasonOf(signal) };
}

/** What the approver is told; an answer that came from it has closed the ask there already. */
function reasonOf(ending: AskEnding): WithdrawReason {
  if (ending.kind === 'stopped') return ending.reason;
  return ending.kind === 'expired' || ending.kind === 'covered' ? ending.kind : 'answered';
}

/**
 * Remembers what waits for a person beyond a crash of the runner, so that whoever comes back with
 * an old id can be told what became of it.
 */
export function recordedApprover(approver: Approver, records: RunningRecords): Approver {
  return {
    ask: async (draft, options) => {
      attempt(() => records.begin(draft.id));
      try {
        return await approver.ask(draft, options);
      } finally {
        attempt(() => records.ended(draft.id));
      }
    },
  };
}

/** Nothing runs on the strength of this record, so a full disk must not keep a person from answering. */
function attempt(write: () => void): void {
  try {
    write();
  } catch {
    // Told as "no such question" instead of "stale" after a crash; both are a no.
  }
}
