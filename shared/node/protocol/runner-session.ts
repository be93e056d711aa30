import type { Ask, Decision } from '../../ask/types.ts';
import type { ApproverBody, RunnerBody } from '../../frames/v2.ts';
import { approverBodyChecks, checkAskBody } from '../../frames/v2-schemas.ts';
import { refuse } from '../../refusal/refusal.ts';
import type { Duplex } from '../transport/duplex.ts';
import { guarded } from './breach.ts';
import { Channel } from './channel.ts';
import type { Context } from './context.ts';
import { contextOf, requireOwnPeer } from './context.ts';
import { answerChallenge } from './handshake.ts';
import { digestOf } from './keys.ts';
import { askRate } from './limits.ts';
import { OpenAsks } from './open-asks.ts';
import { createBucket } from './rate.ts';
import type { LateReason, RunnerSession, SessionOptions } from './types.ts';

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
  const bucket = createBucket(context.clock, askRate(context.limits));
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
      if (!bucket.take()) throw tooFast();
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
    close() {
      channel.close();
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
