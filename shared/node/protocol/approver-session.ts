import type { Ask, RunnerState, WithdrawReason } from '../../ask/types.ts';
import type { ApproverBody, RunnerBody } from '../../frames/v2.ts';
import { isOffered } from '../../frames/offer.ts';
import { approverBodyChecks, runnerBodyChecks } from '../../frames/v2-schemas.ts';
import { refuse } from '../../refusal/refusal.ts';
import type { Duplex } from '../transport/duplex.ts';
import { guarded } from './breach.ts';
import { Channel } from './channel.ts';
import type { Context } from './context.ts';
import { contextOf, requireOwnPeer } from './context.ts';
import { nextLine } from './next-line.ts';
import { acceptHello, sendChallenge } from './handshake.ts';
import { ShownAsks } from './shown-asks.ts';
import { digestOf } from './keys.ts';
import type { ApproverSession, SessionOptions } from './types.ts';

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
  const asks = new ShownAsks(context.limits.maxOpenAsks);
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
        asks.add(body.ask, digest);
        asked(body.ask, digest);
      } else if (body.type === 'withdraw') {
        if (asks.withdraw(body.id)) withdrawn(body.id, body.reason);
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
      const ask = channel.open ? asks.find(decision.id, decision.askDigest) : null;
      if (ask === null) return false;
      const body: ApproverBody = { type: 'decision', ...decision };
      requireSound(body, isOffered(ask, decision));
      asks.answered(decision.id);
      return say(body);
    },
    onClose(callback) {
      channel.onClose(callback);
    },
    ping() {
      say({ type: 'ping' });
    },
    close() {
      channel.close();
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
