import { createTokenBucket, refuse } from '../../base/index.ts';
import { isOffered } from '../../engine/index.ts';
import type { Ask, Decision } from '../../engine/index.ts';
import { approverBodyChecks, askRate, checkAskBody } from '../../wire/index.ts';
import type { ApproverBody, RunnerBody } from '../../wire/index.ts';
import { digestOf } from '../macs.ts';
import type { Duplex } from '../transport/duplex.ts';
import { Channel } from './channel.ts';
import { contextOf, requireOwnPeer } from './context.ts';
import type { Context, LateReason, RunnerSession, SessionOptions } from './context.ts';
import { answerChallenge } from './handshake.ts';
import { ViolationError, guarded } from './violation.ts';

/** How many closed asks are remembered, so that a late answer is told from a made-up one. */
const remembered = 2_000;

interface OpenAsk {
  readonly ask: Ask;
  readonly digest: string;
}

interface ClosedAsk {
  readonly digest: string;
  readonly how: 'answered' | 'withdrawn';
}

/** The asks of one session as the runner sees them, and what an answer to each is worth. */
class OpenAsks {
  readonly #open = new Map<string, OpenAsk>();
  readonly #closed = new Map<string, ClosedAsk>();

  get size(): number {
    return this.#open.size;
  }

  has(id: string): boolean {
    return this.#open.has(id) || this.#closed.has(id);
  }

  add(ask: Ask, digest: string): void {
    this.#open.set(ask.id, { ask, digest });
  }

  /** False when no such ask is open. */
  withdraw(id: string): boolean {
    return this.#close(id, 'withdrawn');
  }

  /**
   * Settles an ask. `counts` when the decision is about an open ask, names its digest, is in time
   * and picks what was offered; a reason when it merely came late. Throws a `ViolationError` for
   * every answer that an honest approver cannot give.
   */
  settle(decision: Decision, now: number): 'counts' | LateReason {
    const open = this.#open.get(decision.id);
    const digest = open?.digest ?? this.#closed.get(decision.id)?.digest;
    if (digest === undefined) {
      throw new ViolationError('unknown-ask', 'A decision answers an ask that was never made.');
    }
    if (decision.askDigest !== digest) {
      throw new ViolationError(
        'digest-mismatch',
        'A decision answers something else than was asked.',
      );
    }
    if (open === undefined) return this.#late(decision.id);
    if (!isOffered(open.ask, decision)) {
      throw new ViolationError('not-offered', 'A decision picks what was not offered.');
    }
    if (now > open.ask.expiresAt) return 'expired';
    this.#close(decision.id, 'answered');
    return 'counts';
  }

  #late(id: string): LateReason {
    if (this.#closed.get(id)?.how === 'withdrawn') return 'withdrawn';
    throw new ViolationError('already-answered', 'A decision answers an ask for a second time.');
  }

  #close(id: string, how: ClosedAsk['how']): boolean {
    const open = this.#open.get(id);
    if (open === undefined) return false;
    this.#open.delete(id);
    this.#closed.set(id, { digest: open.digest, how });
    if (this.#closed.size > remembered) {
      for (const oldest of this.#closed.keys()) {
        this.#closed.delete(oldest);
        break;
      }
    }
    return true;
  }
}

/**
 * Opens the runner's end of a version-2 session over a connection to the approver: answers the
 * challenge and resolves once the approver has proved that it knows the token. Rejects with a
 * `RefusalError`; only its code `approver-unavailable` means that nobody could be reached.
 */
export async function openRunnerSession(
  duplex: Duplex,
  options: SessionOptions,
): Promise<RunnerSession> {
  const context = contextOf(options);
  return guarded(duplex, context, async () => {
    requireOwnPeer(duplex, context.uid);
    const key = await answerChallenge(duplex, context);
    return runnerSession(duplex, context, key);
  });
}

function runnerSession(duplex: Duplex, context: Context, key: Uint8Array): RunnerSession {
  const asks = new OpenAsks();
  const mayAsk = createTokenBucket(context.clock, askRate(context.limits));
  let decided: (decision: Decision) => void = () => {};
  let late: (decision: Decision, why: LateReason) => void = () => {};
  const channel = new Channel<ApproverBody>(duplex, {
    context,
    key,
    direction: 'runner',
    checks: approverBodyChecks,
    onBody(body) {
      if (body.type === 'ping') return;
      const { type: _, ...decision } = body;
      const worth = asks.settle(decision, context.clock.now());
      if (worth === 'counts') decided(decision);
      else late(decision, worth);
    },
  });
  const say = (body: RunnerBody): boolean => channel.send(JSON.stringify(body));

  return {
    ask(ask) {
      const body = askBody(ask);
      const digest = digestOf(body);
      requireRoom(asks, ask, context);
      if (!channel.open) throw sessionOver();
      if (!mayAsk()) throw tooFast();
      asks.add(ask, digest);
      if (!channel.send(body)) {
        asks.withdraw(ask.id);
        throw tooLarge();
      }
      return digest;
    },
    withdraw(id, reason) {
      if (asks.withdraw(id)) say({ type: 'withdraw', id, reason });
    },
    state(state) {
      say({ type: 'state', state });
    },
    onDecision(callback) {
      decided = callback;
      channel.start();
    },
    onLateDecision(callback) {
      late = callback;
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

/** Checked before it is sent: the approver would end the session over an ask that is not valid. */
function askBody(ask: Ask): string {
  const body: RunnerBody = { type: 'ask', ask };
  const checked = checkAskBody(body);
  if (checked.ok) return JSON.stringify(body);
  throw refuse(
    'invalid-request',
    `The request cannot be shown to a person: ${checked.error}`,
    'Split the command into smaller ones.',
  );
}

function requireRoom(asks: OpenAsks, ask: Ask, context: Context): void {
  if (asks.has(ask.id)) {
    throw refuse('invalid-request', 'An ask with this id was made before.', 'Use a new id.');
  }
  if (asks.size >= context.limits.maxOpenAsks) {
    throw refuse(
      'concurrency-busy',
      'Too many asks wait for a person already.',
      'Wait until some are answered.',
    );
  }
}

function tooFast(): Error {
  return refuse(
    'rate-limit',
    'Asks come faster than any person could read them.',
    'Wait a few seconds, or ask for fewer commands at once.',
  );
}

function tooLarge(): Error {
  return refuse(
    'invalid-request',
    'The request is too large to be shown to a person.',
    'Put long text into a file, and name the file in the command.',
  );
}

function sessionOver(): Error {
  return refuse(
    'approver-unavailable',
    'The connection to the approver is closed.',
    'Start the approver with "interlock ui", then try again.',
  );
}
