import { createTokenBucket, refuse } from '../../base/index.ts';
import { choiceOf } from '../../engine/index.ts';
import type { Ask, Decision } from '../../engine/index.ts';
import { approverBodyChecks, askRate, checkAskBody } from '../../wire/index.ts';
import type { ApproverBody, RunnerBody } from '../../wire/index.ts';
import { digestOf } from '../macs.ts';
import type { Duplex } from '../transport/duplex.ts';
import { Channel } from './channel.ts';
import { contextOf, requireOwnPeer } from './context.ts';
import type { Context, LateReason, RunnerSession, SessionOptions } from './context.ts';
import { answerChallenge } from './handshake.ts';
import { SessionAsks } from './session-asks.ts';
import { ViolationError, guarded } from './violation.ts';

/**
 * What an answer is worth. `counts` when the decision is about an open ask, names its digest, is in
 * time and picks what was offered; a reason when it merely came late. Throws a `ViolationError` for
 * every answer that an honest approver cannot give.
 */
function settle(asks: SessionAsks, decision: Decision, now: number): 'counts' | LateReason {
  const { id } = decision;
  const open = asks.open(id);
  const digest = open?.digest ?? asks.closed(id)?.digest;
  if (digest === undefined) {
    throw new ViolationError('unknown-ask', 'A decision answers an ask that was never made.');
  }
  if (decision.askDigest !== digest) {
    throw new ViolationError(
      'digest-mismatch',
      'A decision answers something else than was asked.',
    );
  }
  if (open === undefined) {
    if (asks.closed(id)?.how === 'withdrawn') return 'withdrawn';
    throw new ViolationError('already-answered', 'A decision answers an ask for a second time.');
  }
  if (choiceOf(open.ask, decision) === null) {
    throw new ViolationError('not-offered', 'A decision picks what was not offered.');
  }
  if (now > open.ask.expiresAt) return 'expired';
  asks.close(id, 'answered');
  return 'counts';
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
  const asks = new SessionAsks();
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
      const worth = settle(asks, decision, context.clock.now());
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
        asks.close(ask.id, 'withdrawn');
        throw tooLarge();
      }
      return digest;
    },
    withdraw(id, reason) {
      if (asks.close(id, 'withdrawn')) say({ type: 'withdraw', id, reason });
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

function requireRoom(asks: SessionAsks, ask: Ask, context: Context): void {
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
