import { createApprover } from '../../../runner/approvals/approver.ts';
import { createLink } from '../../../runner/approvals/link.ts';
import { createPendingAsks } from '../../../runner/approvals/pending.ts';
import type { AskDraft } from '../../../runner/gate/ports.ts';
import type { ApproverSession } from '../../../shared/ipc/protocol/context.ts';
import { openApproverSession } from '../../../shared/ipc/protocol/approver-session.ts';
import { memoryPair } from '../../support/memory-transport.ts';
import type { MemoryDuplex } from '../../support/memory-transport.ts';
import { refuse } from '../../../shared/base/refusal.ts';
import type { Ask } from '../../../shared/engine/ask.ts';
import { fakeClock } from '../../support/fake-clock.ts';

export const token = 'a-token-of-at-least-thirty-two-characters';

/** The runner's side of the approvals, and an approver that the test plays. */
export function desk(
  options: {
    readonly mostPending?: number;
    readonly limits?: object;
    readonly stands?: Parameters<typeof createApprover>[0]['stands'];
    readonly prove?: Parameters<typeof createApprover>[0]['prove'];
  } = {},
) {
  const clock = fakeClock();
  const pending = createPendingAsks();
  const violations: string[] = [];
  const asked: { readonly ask: Ask; readonly digest: string }[] = [];
  const withdrawn: string[] = [];
  const watchers: (() => void)[] = [];
  let present = true;
  let attempts = 0;
  let session: ApproverSession | null = null;
  let wire: MemoryDuplex | null = null;
  let approverToken = token;
  let runnerToken = token;
  let duringHandshake = (): void => {};
  const listenTo = async (opening: Promise<ApproverSession>): Promise<void> => {
    try {
      const opened = await opening;
      session = opened;
      opened.onWithdraw((id, reason) => void withdrawn.push(`${id} ${reason}`));
      opened.onAsk((ask, digest) => {
        asked.push({ ask, digest });
        for (const look of watchers.splice(0)) look();
      });
    } catch {
      // A handshake that fails is what some tests are about.
    }
  };
  const link = createLink({
    clock,
    uid: 1000,
    pending,
    log: { info: () => {}, warn: () => {}, error: () => {} },
    address: async () => ({ path: '/nowhere', token: runnerToken }),
    timeoutMs: () => 1_000,
    onViolation: (code) => void violations.push(code),
    connect: async () => {
      attempts += 1;
      if (!present) throw refuse('approver-unavailable', 'Nobody.', 'Start one.');
      const [runnerEnd, approverEnd] = memoryPair();
      wire = approverEnd;
      const opening = openApproverSession(approverEnd, { token: approverToken, uid: 1000, clock });
      void listenTo(opening);
      duringHandshake();
      return runnerEnd;
    },
  });
  const rulesWatchers: (() => void)[] = [];
  const approver = createApprover({
    clock,
    link,
    pending,
    mostPending: () => options.mostPending ?? 10,
    stands: options.stands ?? (() => true),
    prove: options.prove ?? (async () => null),
    unproven: () => undefined,
    onRules: (listener) => void rulesWatchers.push(listener),
  });
  return {
    clock,
    pending,
    link,
    approver,
    violations,
    asked,
    withdrawn,
    attempts: () => attempts,
    session: (): ApproverSession => {
      if (session === null) throw new Error('there is no session yet');
      return session;
    },
    /** Rules or grants have changed. */
    rulesChanged: () => rulesWatchers.forEach((each) => each()),
    crash: () => wire?.crash(),
    leave: () => (present = false),
    arrive: () => (present = true),
    /** The runner's secret becomes another one, as with a lockout. */
    rotate: () => (runnerToken = 'the-token-that-a-lockout-has-made-new-now'),
    whileConnecting: (act: () => void) => (duringHandshake = act),
    forge: () => (approverToken = 'another-token-that-the-runner-does-not-know'),
    /** Waits until the approver has been shown so many asks; the time limit of the test is its end. */
    shown: async (count: number): Promise<void> => {
      while (asked.length < count)
        await new Promise<void>((resolve) => void watchers.push(resolve));
    },
  };
}

/** An ask about `id`, as the gate drafts it. */
export function draft(id: string): AskDraft {
  return {
    id,
    kind: 'exec',
    agent: 'claude',
    session: 's1',
    toolUseId: null,
    statedReason: null,
    host: 'gateway',
    cwd: '/tmp',
    command: 'touch x',
    isShellText: false,
    stages: [],
    opaque: null,
    why: 'No rule matches.',
    risk: { level: 'none', findings: [] },
    env: [],
    ancestry: [],
    proposals: [
      {
        id: 'exact',
        scope: 'exact',
        sentence: 'Exactly this.',
        rules: [{ pattern: '/usr/bin/touch', args: ['x'] }],
        pastCommands: [],
      },
    ],
    durations: ['once', '15-minutes', 'session', 'until-restart', 'always'],
  };
}

export function asking(signal: AbortSignal = new AbortController().signal, timeoutMs = 60_000) {
  return { timeoutMs, signal, onPending: (): void => {}, covered: (): boolean => false };
}
