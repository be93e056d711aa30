import { refuse } from '../../base/index.ts';
import { isOffered } from '../../engine/index.ts';
import type { Ask, RunnerState, WithdrawReason } from '../../engine/index.ts';
import { approverBodyChecks, runnerBodyChecks } from '../../wire/index.ts';
import type { ApproverBody, RunnerBody } from '../../wire/index.ts';
import { digestOf } from '../macs.ts';
import type { Duplex } from '../transport/duplex.ts';
import { Channel } from './channel.ts';
import { contextOf, requireOwnPeer } from './context.ts';
import type { ApproverSession, Context, SessionOptions } from './context.ts';
import { acceptHello, nextLine, sendChallenge } from './handshake.ts';
import { ViolationError, guarded } from './violation.ts';

/** How many closed ids are remembered, so that a withdrawal that crossed an answer is no breach. */
const remembered = 2_000;

/** The asks of one session as the approver sees them. */
class ShownAsks {
  readonly #open = new Map<string, { readonly ask: Ask; readonly digest: string }>();
  readonly #closed = new Set<string>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  add(ask: Ask, digest: string): void {
    const { id } = ask;
    if (this.#open.has(id) || this.#closed.has(id)) {
      throw new ViolationError('duplicate-ask', 'An ask has an id that was used before.');
    }
    if (this.#open.size >= this.#most) {
      throw new ViolationError('rate-exceeded', 'The runner has too many asks open at once.');
    }
    this.#open.set(id, { ask, digest });
  }

  /** True when the ask was open until now. */
  withdraw(id: string): boolean {
    if (this.#close(id)) return true;
    if (this.#closed.has(id)) return false;
    throw new ViolationError('unknown-ask', 'An ask is withdrawn that was never made.');
  }

  /** The ask, if it is open and the digest is its own. */
  find(id: string, digest: string): Ask | null {
    const open = this.#open.get(id);
    return open?.digest === digest ? open.ask : null;
  }

  answered(id: string): void {
    this.#close(id);
  }

  #close(id: string): boolean {
    if (!this.#open.delete(id)) return false;
    this.#closed.add(id);
    if (this.#closed.size > remembered) {
      for (const oldest of this.#closed) {
        this.#closed.delete(oldest);
        break;
      }
    }
    return true;
  }
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
