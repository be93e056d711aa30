import { refusalOf, refuse } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import { counted, noAnswers } from '../../shared/engine/index.ts';
import type { Ask, Count, Decision, SignedYes, WithdrawReason } from '../../shared/engine/index.ts';
import type { RunningRecords } from '../../shared/home/index.ts';
import type { PendingAsk } from '../../shared/wire/index.ts';
import type { AnswerProof } from '../audit/rows.ts';
import { stopReasonOf } from '../gate/in-flight.ts';
import type { Approver, AskDraft, AskEnding, AskOptions } from '../gate/ports.ts';
import { digestOfAsk } from '../../shared/ipc/index.ts';
import type { RunnerSession } from '../../shared/ipc/index.ts';
import type { AskRelay, RelayEvents } from '../gate/request-context.ts';
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
  /** Whether the passkey of an earlier answer still counts. */
  readonly stands: (proof: AnswerProof) => boolean;
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
      const relay = relayFor(draft, options);
      // Somebody who is not to be trusted is no reason to look for somebody else.
      if (reached.kind === 'lost') return reached;
      if (reached.kind === 'unreachable' && relay === null) return reached;
      if (options.signal.aborted) return stopped(options.signal);
      if (pending.list().length >= mostPending())
        throw refuse(
          'concurrency-busy',
          'Too many questions wait for a person already.',
          'Wait until some of them are answered.',
        );
      const ask = timed(draft, clock.now(), options.timeoutMs);
      const session = reached.kind === 'session' ? reached.session : null;
      return untilEnough(ask, approver, { rules, options, session, relay });
    },
  };
}

/** Where it may be answered, too: what takes a passkey, or two people, stays on this machine. */
function relayFor({ presence, approvers = 1 }: AskDraft, { relay }: AskOptions): AskRelay | null {
  return presence === 'passkey' || approvers > 1 ? null : (relay ?? null);
}

interface Asking {
  readonly rules: ReturnType<typeof watchRules>;
  readonly options: AskOptions;
  /** Null where nobody is reached on this machine: then `relay` is where it is asked. */
  readonly session: RunnerSession | null;
  readonly relay: AskRelay | null;
}

/** One ask in front of a person, to its end. */
async function askOnce(ask: Ask, approver: ApproverOptions, asking: Asking): Promise<AskEnding> {
  const { clock, pending } = approver;
  const { rules, options, session, relay } = asking;
  const askDigest = session === null ? digestOfAsk(ask) : session.ask(ask);
  const takeBack = relay?.raise(ask, relayed({ ask, askDigest }, approver, session)) ?? null;
  if (session === null && takeBack === null) return { kind: 'unreachable' };
  const ended = pending.add(ask, askDigest);
  options.onPending(ask);
  const leave = rules.add(() => {
    if (isCovered(options)) pending.end(ask.id, { kind: 'covered' });
  });
  // They may have changed while the question was put together.
  rules.changed();
  const ending = await untilEnded(ask, ended, { clock, pending, options }).finally(leave);
  takeBack?.();
  if (ending.kind !== 'lost') session?.withdraw(ask.id, reasonOf(ending));
  return proven(ending, approver, options.signal);
}

/** What comes of an ask on the other machine counts as what comes of it here, and whichever is first. */
function relayed(
  { ask: { id }, askDigest }: PendingAsk,
  { pending }: Pick<ApproverOptions, 'pending'>,
  session: RunnerSession | null,
): RelayEvents {
  return {
    answered: ({ said, by, note }) => {
      const decision = said === 'yes' ? 'allow-once' : 'deny';
      const words = note === undefined ? {} : { note };
      pending.answer({ id, askDigest, decision, ...words }, 'gateway', by);
    },
    ended: (wasShown) => {
      // Here somebody still looks at it.
      if (session !== null) return;
      const detail = 'The gateway that was asked is gone, or gave no answer.';
      pending.end(id, wasShown ? { kind: 'lost', detail } : { kind: 'unreachable' });
    },
  };
}

type Answered = SignedYes & { readonly proof: AnswerProof; readonly at: number };

/**
 * Asks until as many different people have said yes as the ask wants, or it ends otherwise. Who is
 * asked after somebody else is asked anew, within the same time: what they sign says who said yes
 * before them.
 */
async function untilEnough(
  first: Ask,
  approver: ApproverOptions,
  asking: Asking,
): Promise<AskEnding> {
  const { approvers = 1 } = first;
  if (approvers === 1) return askOnce(first, approver, asking);
  let count = noAnswers<Answered>(approvers);
  let { session } = asking;
  let ask: Ask = { ...first, presence: 'passkey' };
  for (let round = 2; ; round += 1) {
    const ending = await askOnce(ask, approver, { ...asking, session });
    count = afterAnswer(count, ending, approver);
    const earlier = count.given.map(({ proof }) => proof);
    const gone = repeatedBy(count, approver);
    if (gone !== null) return { ...gone, earlier };
    if (count.ended === 'allowed') return { ...ending, earlier: earlier.slice(0, -1) };
    if (ending.kind !== 'decided' || ending.decision.decision === 'deny')
      return { ...ending, earlier };
    const reached = await approver.link.reach();
    if (asking.options.signal.aborted) return { ...stopped(asking.options.signal), earlier };
    // Somebody was there, so nothing falls back.
    if (reached.kind !== 'session')
      return {
        kind: 'lost',
        detail: 'The approver is gone before everybody has answered.',
        earlier,
      };
    if (approver.clock.now() >= first.expiresAt) return { kind: 'expired', earlier };
    session = reached.session;
    const answered = count.given.map(({ person, passkey, at }) => ({
      person,
      passkey: passkey.name,
      at,
    }));
    ask = { ...ask, id: `${first.id}.${String(round)}`, answered };
  }
}

/** The count after an ask has ended, without what passkeys said that were removed by now. */
function afterAnswer(
  before: Count<Answered>,
  ending: AskEnding,
  { clock, stands }: ApproverOptions,
): Count<Answered> {
  let count = before;
  for (const { proof, passkey } of before.given)
    if (!stands(proof)) count = counted(count, { kind: 'revoked', passkey: passkey.id });
  if (ending.kind === 'expired') return counted(count, { kind: 'timeout' });
  if (ending.kind !== 'decided') return count;
  if (ending.decision.decision === 'deny') return counted(count, { kind: 'no' });
  const { proof } = ending;
  // Never without, as the ask wants one; what cannot be is no yes.
  if (proof === undefined) return counted(count, { kind: 'no' });
  const { passkey, person = null } = proof;
  return counted(count, { kind: 'yes', yes: { person, passkey, proof, at: clock.now() } });
}

/** What is no yes although each was signed: one person twice. */
function repeatedBy(
  { ended }: Count<Answered>,
  { unproven }: ApproverOptions,
): Extract<AskEnding, { kind: 'lost' }> | null {
  if (ended !== 'repeated') return null;
  const detail = 'The same person said yes twice, and two different people are wanted.';
  unproven(detail);
  return { kind: 'lost', detail };
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
  const { signal } = options;
  const cancel = clock.after(ask.expiresAt - clock.now(), () =>
    pending.end(ask.id, { kind: 'expired' }),
  );
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
