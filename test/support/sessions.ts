import type { Ask } from '../../shared/engine/ask.ts';
import { openApproverSession } from '../../shared/ipc/protocol/approver-session.ts';
import { createNonceMemory } from '../../shared/ipc/protocol/context.ts';
import { openRunnerSession } from '../../shared/ipc/protocol/runner-session.ts';
import type {
  ApproverSession,
  RunnerSession,
  SessionEnd,
  SessionOptions,
} from '../../shared/ipc/protocol/context.ts';
import type { ViolationCode } from '../../shared/ipc/protocol/violation.ts';
import type { MemoryDuplex } from './memory-transport.ts';
import { memoryPair } from './memory-transport.ts';
import type { FakeClock } from './fake-clock.ts';
import { fakeClock } from './fake-clock.ts';

export const token = 'a-token-for-tests-of-32-bytes-or-so';

/** Lets everything that was sent arrive, however many turns that takes. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 30; turn += 1) await Promise.resolve();
}

/** Random bytes that are the same in each run. */
export function countingRandom(first = 1): (bytes: number) => Uint8Array {
  let next = first;
  return (bytes) => {
    next += 1;
    return Uint8Array.from({ length: bytes }, (_, index) => (next * 31 + index * 7) & 0xff);
  };
}

/** One side of a session with everything that happened on it. */
export interface Side<S> {
  readonly session: S;
  readonly wire: MemoryDuplex;
  readonly violations: ViolationCode[];
  readonly ends: SessionEnd[];
}

export interface Sessions {
  readonly clock: FakeClock;
  readonly runner: Side<RunnerSession> & { readonly heard: string[] };
  readonly approver: Side<ApproverSession> & {
    readonly asks: { readonly ask: Ask; readonly digest: string }[];
    readonly heard: string[];
  };
}

export function optionsFor(
  clock: FakeClock,
  violations: ViolationCode[],
  change: Partial<SessionOptions> = {},
): SessionOptions {
  return {
    token,
    uid: 1000,
    clock,
    nonces: createNonceMemory(clock),
    onViolation: ({ code }) => violations.push(code),
    ...change,
  };
}

/** Two sessions that talk to each other over memory, callbacks set and recorded. */
export async function openSessions(change: Partial<SessionOptions> = {}): Promise<Sessions> {
  const clock = fakeClock();
  const [runnerWire, approverWire] = memoryPair();
  const runnerViolations: ViolationCode[] = [];
  const approverViolations: ViolationCode[] = [];
  const [approver, runner] = await Promise.all([
    openApproverSession(approverWire, optionsFor(clock, approverViolations, change)),
    openRunnerSession(runnerWire, optionsFor(clock, runnerViolations, change)),
  ]);
  const sessions: Sessions = {
    clock,
    runner: {
      session: runner,
      wire: runnerWire,
      violations: runnerViolations,
      ends: [],
      heard: [],
    },
    approver: {
      session: approver,
      wire: approverWire,
      violations: approverViolations,
      ends: [],
      asks: [],
      heard: [],
    },
  };
  const { runner: r, approver: a } = sessions;
  runner.onDecision((decision) => r.heard.push(`${decision.decision} ${decision.id}`));
  runner.onLateDecision((decision, why) => r.heard.push(`late ${decision.id} ${why}`));
  runner.onClose((end) => r.ends.push(end));
  approver.onAsk((ask, digest) => a.asks.push({ ask, digest }));
  approver.onWithdraw((id, reason) => a.heard.push(`withdraw ${id} ${reason}`));
  approver.onState((state) => a.heard.push(`state ${state.mode}`));
  approver.onClose((end) => a.ends.push(end));
  await settle();
  return sessions;
}
