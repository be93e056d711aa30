import { refuse } from '../../base/index.ts';
import { choiceOf } from '../../engine/index.ts';
import type { Ask, RunnerState, WithdrawReason } from '../../engine/index.ts';
import { approverBodyChecks, runnerBodyChecks } from '../../wire/index.ts';
import type { ApproverBody, RunnerBody } from '../../wire/index.ts';
import { digestOf } from '../macs.ts';
import type { Duplex } from '../transport/duplex.ts';
import { Channel } from './channel.ts';
import { contextOf, requireOwnPeer } from './context.ts';
import type { ApproverSession, Context, SessionOptions } from './context.ts';
import { acceptHello, nextLine, sendChallenge } from './handshake.ts';
import { SessionAsks } from './session-asks.ts';
import { ViolationError, guarded } from './violation.ts';

/** Takes in an ask that the runner makes; its id must be new, and there must be room. */
function take(
  asks: SessionAsks,
  ask: Ask,
  { digest, most }: { digest: string; most: number },
): void {
  if (asks.has(ask.id)) {
    throw new ViolationError('duplicate-ask', 'An ask has an id that was used before.');
  }
  if (asks.size >= most) {
    throw new ViolationError('rate-exceeded', 'The runner has too many asks open at once.');
  }
  asks.add(ask, digest);
}

/** True when the ask was open until now; a withdrawal may cross an answer. */
function withdraw(asks: SessionAsks, id: string): boolean {
  if (asks.close(id, 'withdrawn')) return true;
  if (asks.closed(id) !== undefined) return false;
  throw new ViolationError('unknown-ask', 'An ask is withdrawn that was never made.');
}

/**
 * Opens the approver's end of a version-2 session over a connection that a runner made: sends the
 * challenge and resolves once the runner has proved that it knows the token. Rejects with a
 * `RefusalError` (`hmac-fail`, `replay-detected`, `approver-unavailable`, `invalid-request`), and
 * the connection is then closed.
 */
export async function openApproverSession(
  duplex: Duplex,
  options: SessionOptions,
): Promise<ApproverSession> {
  const context = contextOf(options);
  return guarded(duplex, context, async () => {
    requireOwnPeer(duplex, context.uid);
    const challenge = sendChallenge(duplex, context);
    const line = await nextLine(duplex, context.clock, context.limits.challengeTtlMs);
    return approverSession(duplex, context, acceptHello(line, challenge, { ...context, duplex }));
  });
}

/** The approver's end after the handshake. */
export function approverSession(
  duplex: Duplex,
  context: Context,
  key: Uint8Array,
): ApproverSession {
  const asks = new SessionAsks();
  const most = context.limits.maxOpenAsks;
  let asked: (ask: Ask, digest: string) => void = () => {};
  let withdrawn: (id: string, reason: WithdrawReason) => void = () => {};
  let changed: (state: RunnerState) => void = () => {};
  const channel = new Channel<RunnerBody>(duplex, {
    context,
    key,
    direction: 'approver',
    checks: runnerBodyChecks,
    onBody(body, text) {
      if (body.type === 'ask') {
        const digest = digestOf(text);
        take(asks, body.ask, { digest, most });
        asked(body.ask, digest);
      } else if (body.type === 'withdraw') {
        if (withdraw(asks, body.id)) withdrawn(body.id, body.reason);
      } else if (body.type === 'state') changed(body.state);
    },
  });
  const say = (body: ApproverBody): boolean => channel.send(JSON.stringify(body));

  return {
    onAsk(callback) {
      asked = callback;
      channel.start();
    },
    onWithdraw(callback) {
      withdrawn = callback;
    },
    onState(callback) {
      changed = callback;
    },
    decide(decision) {
      const open = channel.open ? asks.open(decision.id) : undefined;
      if (open?.digest !== decision.askDigest) return false;
      const body: ApproverBody = { type: 'decision', ...decision };
      requireSound(body, choiceOf(open.ask, decision) !== null);
      asks.close(decision.id, 'answered');
      return say(body);
    },
    onClose(callback) {
      channel.onClose(callback);
    },
    ping() {
      say({ type: 'ping' });
    },
    dispose() {
      channel.dispose();
    },
  };
}

/** Checked before it is sent: the runner would end the session over an answer that is not valid. */
function requireSound(body: ApproverBody, offered: boolean): void {
  const checked = approverBodyChecks.decision(body);
  if (checked.ok && offered) return;
  throw refuse(
    'invalid-request',
    checked.ok ? 'The answer picks what the ask did not offer.' : checked.error,
    'Answer with what the prompt offers.',
  );
}
