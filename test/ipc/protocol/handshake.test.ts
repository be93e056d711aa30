import { describe, expect, it } from 'vitest';
import { openApproverSession } from '../../../shared/ipc/protocol/approver-session.ts';
import { helloMac, welcomeMac } from '../../../shared/ipc/macs.ts';
import { createNonceMemory } from '../../../shared/ipc/protocol/context.ts';
import { openRunnerSession } from '../../../shared/ipc/protocol/runner-session.ts';
import type { ViolationCode } from '../../../shared/ipc/protocol/violation.ts';
import type { MemoryDuplex } from '../../support/memory-transport.ts';
import { memoryPair } from '../../support/memory-transport.ts';
import { refusalOf } from '../../../shared/base/refusal.ts';
import type { FakeClock } from '../../support/fake-clock.ts';
import { fakeClock } from '../../support/fake-clock.ts';
import { optionsFor, settle, token } from '../../support/sessions.ts';

type JsonObject = Record<string, unknown>;

interface Attempt {
  readonly clock: FakeClock;
  /** The end that the test plays. */
  readonly wire: MemoryDuplex;
  readonly received: JsonObject[];
  readonly violations: ViolationCode[];
  /** `open`, or the refusal's code. */
  readonly outcome: Promise<string | undefined>;
}

const clientNonce = 'c'.repeat(43);
const serverNonce = 's'.repeat(43);

async function attempt(
  open: typeof openApproverSession | typeof openRunnerSession,
  change: Parameters<typeof optionsFor>[2] = {},
  clock = fakeClock(),
): Promise<Attempt> {
  const [ours, theirs] = memoryPair();
  const violations: ViolationCode[] = [];
  const received: JsonObject[] = [];
  ours.onLine((line) => received.push(JSON.parse(line) as JsonObject));
  const outcome = open(theirs, optionsFor(clock, violations, change)).then(
    () => 'open',
    (error: unknown) => refusalOf(error)?.code,
  );
  await settle();
  return { clock, wire: ours, received, violations, outcome };
}

/** What an honest runner would answer to the challenge that came, with changes. */
function hello({ clock, received }: Attempt, change: JsonObject = {}, secret = token): string {
  const ts = (change['ts'] as number | undefined) ?? clock.now();
  const nonces = { server: received[0]?.['serverNonce'] as string, client: clientNonce };
  const mac = helloMac(secret, nonces, ts);
  return JSON.stringify({ type: 'hello', version: 2, clientNonce, ts, mac, ...change });
}

const challenge = (change: JsonObject = {}): string =>
  JSON.stringify({ type: 'challenge', version: 2, serverNonce, ttlMs: 10_000, ...change });

function welcome({ received }: Attempt, secret = token): string {
  const nonces = { server: serverNonce, client: received[0]?.['clientNonce'] as string };
  return JSON.stringify({ type: 'welcome', mac: welcomeMac(secret, nonces) });
}

describe('the approver in a handshake', () => {
  it('opens a session for who knows the token, and proves that it knows it too', async () => {
    const side = await attempt(openApproverSession);
    side.wire.send(hello(side));
    expect(await side.outcome).toBe('open');
    await settle();
    const nonces = { server: side.received[0]?.['serverNonce'] as string, client: clientNonce };
    expect(side.received[1]).toEqual({ type: 'welcome', mac: welcomeMac(token, nonces) });
  });

  it.each<[ViolationCode, (side: Attempt) => string, string]>([
    ['bad-mac', (side) => hello(side, {}, 'another-token-of-the-same-length'), 'hmac-fail'],
    ['bad-mac', (side) => hello(side, { mac: '0'.repeat(64) }), 'hmac-fail'],
    ['bad-mac', (side) => hello(side, { clientNonce: 'd'.repeat(43) }), 'hmac-fail'],
    ['bad-frame', (side) => hello(side, { mac: undefined }), 'invalid-request'],
    ['bad-frame', (side) => hello(side, { extra: 1 }), 'invalid-request'],
    ['bad-frame', (side) => hello(side, { clientNonce: 'short' }), 'invalid-request'],
    ['bad-frame', () => '[]', 'invalid-request'],
    ['bad-json', () => '{"type":', 'invalid-request'],
    ['wrong-version', (side) => hello(side, { version: 3 }), 'invalid-request'],
    ['unexpected-frame', () => challenge(), 'invalid-request'],
    [
      'stale-timestamp',
      (side) => hello(side, { ts: side.clock.now() - 10_001 }),
      'replay-detected',
    ],
    [
      'stale-timestamp',
      (side) => hello(side, { ts: side.clock.now() + 10_001 }),
      'replay-detected',
    ],
  ])('refuses a hello: %s', async (violation, line, code) => {
    const side = await attempt(openApproverSession);
    side.wire.send(line(side));
    expect(await side.outcome).toBe(code);
    expect(side.violations).toEqual([violation]);
    expect(side.received).toHaveLength(1);
    expect(side.clock.pending).toBe(0);
  });

  it('refuses an answer to a challenge that is too old', async () => {
    const side = await attempt(openApproverSession);
    side.clock.lag(10_001);
    side.wire.send(hello(side));
    expect(await side.outcome).toBe('hmac-fail');
    expect(side.violations).toEqual(['challenge-expired']);
  });

  it('does not wait for an answer for ever', async () => {
    const side = await attempt(openApproverSession);
    side.clock.advance(10_000);
    expect(await side.outcome).toBe('approver-unavailable');
    expect(side.violations).toEqual(['handshake-timeout']);
    expect(side.clock.pending).toBe(0);
  });

  it('refuses a hello that was good in another session', async () => {
    const first = await attempt(openApproverSession);
    const recorded = hello(first);
    const second = await attempt(openApproverSession);
    second.wire.send(recorded);
    expect(await second.outcome).toBe('hmac-fail');
    expect(second.received[0]?.['serverNonce']).not.toBe(first.received[0]?.['serverNonce']);
  });

  it('refuses a nonce that was used in another session', async () => {
    const clock = fakeClock();
    const nonces = createNonceMemory(clock);
    const first = await attempt(openApproverSession, { nonces }, clock);
    first.wire.send(hello(first));
    expect(await first.outcome).toBe('open');
    const second = await attempt(openApproverSession, { nonces }, clock);
    second.wire.send(hello(second));
    expect(await second.outcome).toBe('replay-detected');
    expect(second.violations).toEqual(['nonce-used']);
  });

  it('says nothing to a peer of another user, or one that it cannot identify', async () => {
    for (const peer of [{ uid: 1001, pid: 5 }, null]) {
      const [ours, theirs] = memoryPair({ peer });
      const lines: string[] = [];
      ours.onLine((line) => lines.push(line));
      const violations: ViolationCode[] = [];
      const options = optionsFor(fakeClock(), violations);
      await expect(openApproverSession(theirs, options)).rejects.toThrow('hmac-fail');
      await expect(openRunnerSession(theirs, options)).rejects.toThrow('hmac-fail');
      await settle();
      expect(violations).toEqual(['foreign-peer', 'foreign-peer']);
      expect(lines).toEqual([]);
    }
  });

  it('needs a token that cannot be guessed', async () => {
    const [, theirs] = memoryPair();
    const options = optionsFor(fakeClock(), [], { token: '' });
    await expect(openApproverSession(theirs, options)).rejects.toThrow('config-invalid');
    await expect(openRunnerSession(theirs, options)).rejects.toThrow('config-invalid');
  });

  it('takes it for no breach when somebody only looks whether it is there', async () => {
    const side = await attempt(openApproverSession);
    side.wire.end();
    expect(await side.outcome).toBe('approver-unavailable');
    expect(side.violations).toEqual([]);
  });
});

describe('the runner in a handshake', () => {
  it('opens a session with who knows the token', async () => {
    const side = await attempt(openRunnerSession);
    side.wire.send(challenge());
    await settle();
    side.wire.send(welcome(side));
    expect(await side.outcome).toBe('open');
    expect(JSON.stringify(side.received)).not.toContain(token);
  });

  it.each<[ViolationCode, (side: Attempt) => string, string]>([
    ['bad-mac', (side) => welcome(side, 'a-false-approver-with-no-token'), 'hmac-fail'],
    [
      'bad-mac',
      (side) => JSON.stringify({ type: 'welcome', mac: side.received[0]?.['mac'] }),
      'hmac-fail',
    ],
    ['bad-frame', () => '{"type":"welcome"}', 'invalid-request'],
    ['unexpected-frame', () => challenge(), 'invalid-request'],
    ['bad-json', () => 'welcome', 'invalid-request'],
  ])('refuses a false approver: %s', async (violation, line, code) => {
    const side = await attempt(openRunnerSession);
    side.wire.send(challenge());
    await settle();
    side.wire.send(line(side));
    expect(await side.outcome).toBe(code);
    expect(side.violations).toEqual([violation]);
    expect(side.clock.pending).toBe(0);
  });

  it.each<[ViolationCode, string]>([
    ['wrong-version', challenge({ version: 1 })],
    ['bad-frame', challenge({ serverNonce: 'x' })],
    ['bad-frame', challenge({ ttlMs: 0 })],
    ['unexpected-frame', '{"type":"decision","id":"x","decision":"deny"}'],
  ])('does not answer what is not a challenge: %s', async (violation, line) => {
    const side = await attempt(openRunnerSession);
    side.wire.send(line);
    expect(await side.outcome).toBe('invalid-request');
    expect(side.violations).toEqual([violation]);
    expect(side.received).toEqual([]);
  });

  it('does not answer the same challenge twice', async () => {
    const clock = fakeClock();
    const nonces = createNonceMemory(clock);
    const first = await attempt(openRunnerSession, { nonces }, clock);
    first.wire.send(challenge());
    await settle();
    const second = await attempt(openRunnerSession, { nonces }, clock);
    second.wire.send(challenge());
    expect(await second.outcome).toBe('replay-detected');
    expect(second.received).toEqual([]);
  });

  it('gives up when no challenge comes, and when no welcome comes', async () => {
    const first = await attempt(openRunnerSession);
    first.clock.advance(10_000);
    expect(await first.outcome).toBe('approver-unavailable');
    const second = await attempt(openRunnerSession);
    second.wire.send(challenge({ ttlMs: 500 }));
    await settle();
    second.clock.advance(500);
    expect(await second.outcome).toBe('approver-unavailable');
  });

  it('learns at once when the approver dies in between', async () => {
    const side = await attempt(openRunnerSession);
    side.wire.send(challenge());
    await settle();
    side.wire.crash();
    expect(await side.outcome).toBe('approver-unavailable');
    expect(side.clock.pending).toBe(0);
  });
});
