import { describe, expect, it } from 'vitest';
import { frameMac, sessionKey } from '../../../shared/ipc/macs.ts';
import type { ViolationCode } from '../../../shared/ipc/protocol/violation.ts';
import { sampleAsk } from '../../support/sample-ask.ts';
import { openSessions, settle, token } from '../../support/sessions.ts';

/** A runner that holds the session's key but not to the rules. */
async function cheat(bodies: readonly unknown[]) {
  const random = (bytes: number): Uint8Array => new Uint8Array(bytes).fill(7);
  const { approver, clock, runner } = await openSessions({ random, limits: { maxOpenAsks: 2 } });
  const nonce = Buffer.alloc(32, 7).toString('base64url');
  const key = sessionKey(token, { server: nonce, client: nonce });
  bodies.forEach((body, index) => {
    const frame = { seq: index + 1, ts: clock.now(), body: JSON.stringify(body) };
    runner.wire.inject(JSON.stringify({ ...frame, mac: frameMac(key, 'runner', frame) }));
  });
  await settle();
  return approver;
}

const ask = (id: string): unknown => ({ type: 'ask', ask: sampleAsk({ id }) });
const withdraw = (id: string): unknown => ({ type: 'withdraw', id, reason: 'expired' });

describe('an approver whose runner breaks the protocol', () => {
  it.each<[ViolationCode, readonly unknown[]]>([
    ['duplicate-ask', [ask('a'), ask('a')]],
    ['duplicate-ask', [ask('a'), withdraw('a'), ask('a')]],
    ['unknown-ask', [withdraw('a')]],
    ['rate-exceeded', [ask('a'), ask('b'), ask('c')]],
    ['bad-frame', [{ type: 'ask', ask: { ...sampleAsk(), risk: 'none' } }]],
    ['bad-frame', [{ type: 'ask', ask: { ...sampleAsk(), command: undefined } }]],
    ['bad-frame', [{ type: 'withdraw', id: 'a', reason: 'because' }]],
    ['unknown-type', [{ type: 'decision', id: 'a', decision: 'deny' }]],
  ])('closes over %s', async (code, bodies) => {
    const approver = await cheat(bodies);
    expect(approver.violations).toEqual([code]);
    expect(approver.ends.map((end) => end.code)).toEqual([code]);
  });

  it('cannot answer any more once the session is over', async () => {
    const approver = await cheat([ask('a'), 'nonsense']);
    const [open] = approver.asks;
    const askDigest = open?.digest ?? '';
    expect(approver.session.decide({ id: 'a', askDigest, decision: 'allow-once' })).toBe(false);
  });

  it('hears of a withdrawal once', async () => {
    const approver = await cheat([ask('a'), withdraw('a'), withdraw('a')]);
    expect(approver.heard).toEqual(['withdraw a expired']);
    expect(approver.violations).toEqual([]);
  });
});
