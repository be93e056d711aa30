import { refuse } from '../../base/index.ts';
import type { Clock } from '../../base/index.ts';
import { checkChallenge, checkHello, checkWelcome, protocolVersion } from '../../wire/index.ts';
import type { ChallengeFrame, HelloFrame } from '../../wire/index.ts';
import { helloMac, sameMac, sessionKey, welcomeMac } from '../macs.ts';
import type { Nonces } from '../macs.ts';
import type { Duplex } from '../transport/duplex.ts';
import { freshNonce } from './context.ts';
import type { Context } from './context.ts';
import { ViolationError, breachOf, parseObject, requireValid } from './violation.ts';

/**
 * Waits for one line; the lines after it stay in the duplex until the next reader is set.
 * Rejects when the peer goes away or is silent for `ms` milliseconds.
 */
export function nextLine(duplex: Duplex, clock: Clock, ms: number): Promise<string> {
  return new Promise((resolve, reject) => {
    let settled = false;
    const settle = (finish: () => void): void => {
      if (settled) return;
      settled = true;
      cancel();
      duplex.onLine(null);
      finish();
    };
    const cancel = clock.after(ms, () => {
      settle(() => {
        reject(new ViolationError('handshake-timeout', 'The peer did not answer in time.'));
      });
    });
    duplex.onLine((line) => {
      settle(() => {
        resolve(line);
      });
    });
    duplex.onEnd(() => {
      settle(() => {
        reject(peerGone());
      });
    });
    duplex.onClose((reason) => {
      settle(() => {
        reject(breachOf(reason) ?? peerGone());
      });
    });
  });
}

function peerGone(): Error {
  return refuse(
    'approver-unavailable',
    'The other side closed the connection before the session was open.',
    'Check that the approver runs: "interlock status".',
  );
}

/** A challenge that was sent and waits for its one answer. */
interface OpenChallenge {
  readonly serverNonce: string;
  readonly sentAt: number;
}

/** Approver, step 1: sends a challenge. */
export function sendChallenge(duplex: Duplex, context: Context): OpenChallenge {
  const serverNonce = freshNonce(context);
  const challenge: ChallengeFrame = {
    type: 'challenge',
    version: protocolVersion,
    serverNonce,
    ttlMs: context.limits.challengeTtlMs,
  };
  duplex.send(JSON.stringify(challenge));
  return { serverNonce, sentAt: context.clock.elapsed() };
}

/** Approver, step 2: checks the runner's answer, proves itself, and yields the session key. */
export function acceptHello(
  line: string,
  open: OpenChallenge,
  context: Context & { readonly duplex: Duplex },
): Uint8Array {
  const hello: HelloFrame = requireValid(checkHello, requireVersion(parseObject(line), 'hello'));
  if (context.clock.elapsed() - open.sentAt > context.limits.challengeTtlMs) {
    throw new ViolationError('challenge-expired', 'The challenge was answered too late.');
  }
  const nonces: Nonces = { server: open.serverNonce, client: hello.clientNonce };
  if (!sameMac(hello.mac, helloMac(context.token, nonces, hello.ts))) {
    throw new ViolationError('bad-mac', 'The hello is not signed with the approvals token.');
  }
  requireFresh(hello.ts, context);
  requireUnused(hello.clientNonce, context);
  context.duplex.send(JSON.stringify({ type: 'welcome', mac: welcomeMac(context.token, nonces) }));
  return sessionKey(context.token, nonces);
}

/** Runner, the whole of it: answers the challenge, checks the welcome, yields the session key. */
export async function answerChallenge(duplex: Duplex, context: Context): Promise<Uint8Array> {
  const { clock, limits, token } = context;
  const first = await nextLine(duplex, clock, limits.challengeTtlMs);
  const challenge = requireValid(checkChallenge, requireVersion(parseObject(first), 'challenge'));
  requireUnused(challenge.serverNonce, context);
  const nonces: Nonces = { server: challenge.serverNonce, client: freshNonce(context) };
  const ts = clock.now();
  const hello: HelloFrame = {
    type: 'hello',
    version: protocolVersion,
    clientNonce: nonces.client,
    ts,
    mac: helloMac(token, nonces, ts),
  };
  duplex.send(JSON.stringify(hello));
  const second = await nextLine(duplex, clock, Math.min(challenge.ttlMs, limits.challengeTtlMs));
  const frame = parseObject(second);
  requireType(frame, 'welcome');
  const welcome = requireValid(checkWelcome, frame);
  if (!sameMac(welcome.mac, welcomeMac(token, nonces))) {
    throw new ViolationError('bad-mac', 'The approver did not prove that it knows the token.');
  }
  return sessionKey(token, nonces);
}

type JsonObject = Readonly<Record<string, unknown>>;

function requireVersion(frame: JsonObject, type: string): JsonObject {
  requireType(frame, type);
  if (frame['version'] === protocolVersion) return frame;
  throw new ViolationError('wrong-version', 'The peer speaks another version of the protocol.');
}

function requireType(frame: JsonObject, type: string): void {
  if (frame['type'] === type) return;
  throw new ViolationError('unexpected-frame', `Expected a ${type}, and something else came.`);
}

function requireFresh(ts: number, context: Context): void {
  if (Math.abs(context.clock.now() - ts) <= context.limits.maxSkewMs) return;
  throw new ViolationError('stale-timestamp', 'The hello is too old, or from the future.');
}

function requireUnused(nonce: string, context: Context): void {
  const { clock, limits, nonces } = context;
  const until = clock.now() + 2 * Math.max(limits.challengeTtlMs, limits.maxSkewMs);
  if (nonces.use(nonce, until)) return;
  throw new ViolationError('nonce-used', 'The peer used a nonce that was used before.');
}
