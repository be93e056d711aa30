import { describe, expect, it } from 'vitest';
import type { Ask, Decision } from '../../../shared/engine/ask.ts';
import type { SealedFrame } from '../../../shared/wire/frames-v2.ts';
import { digestOf, frameMac, sessionKey } from '../../../shared/ipc/macs.ts';
import type { ViolationCode } from '../../../shared/ipc/protocol/violation.ts';
import { sampleAsk } from '../../support/sample-ask.ts';
import type { Sessions } from '../../support/sessions.ts';
import { openSessions, settle } from '../../support/sessions.ts';

/** A session with one open ask, and the approver's decisions still in our hand. */
async function asked(change: Partial<Ask> = {}): Promise<Sessions & { readonly digest: string }> {
  const sessions = await openSessions();
  const digest = sessions.runner.session.ask(sampleAsk(change));
  await settle();
  sessions.approver.wire.hold();
  return { ...sessions, digest };
}

const allow = (digest: string, change: Partial<Decision> = {}): Decision => ({
  id: 'ask-1',
  askDigest: digest,
  decision: 'allow-once',
  ...change,
});

/** The approver's next frame, taken off the wire. */
function taken({ approver, digest }: Awaited<ReturnType<typeof asked>>): SealedFrame {
  approver.session.decide(allow(digest));
  return JSON.parse(approver.wire.take()[0] ?? '') as SealedFrame;
}

describe('a runner whose approver breaks the protocol', () => {
  it.each<[ViolationCode, (frame: SealedFrame) => unknown]>([
    ['bad-mac', (frame) => ({ ...frame, mac: '0'.repeat(64) })],
    ['bad-mac', (frame) => ({ ...frame, body: frame.body.replace('deny', 'allow-once') + ' ' })],
    ['bad-mac', (frame) => ({ ...frame, seq: frame.seq + 1 })],
    ['bad-mac', (frame) => ({ ...frame, ts: frame.ts + 1 })],
    ['bad-frame', ({ seq, ts, body }) => ({ seq, ts, body })],
    ['bad-frame', (frame) => ({ ...frame, seq: '1' })],
    ['bad-frame', (frame) => ({ ...frame, seq: 0 })],
    ['bad-frame', (frame) => ({ ...frame, extra: true })],
    ['bad-frame', (frame) => [frame]],
    ['bad-frame', () => ({ type: 'decision', id: 'ask-1', decision: 'allow-once' })],
  ])('closes over %s, and the decision counts for nothing', async (code, change) => {
    const session = await asked();
    session.approver.wire.inject(JSON.stringify(change(taken(session))));
    await settle();
    expect(session.runner.violations).toEqual([code]);
    expect(session.runner.ends.map((end) => end.code)).toEqual([code]);
    expect(session.runner.heard).toEqual([]);
  });

  it.each<[ViolationCode, string]>([
    ['bad-json', 'not json'],
    ['bad-json', ''],
    ['bad-frame', 'null'],
    ['frame-too-long', `"${'x'.repeat(262_144)}"`],
  ])('closes over a line that is not a frame: %s', async (code, line) => {
    const { approver, runner } = await asked();
    approver.wire.inject(line);
    await settle();
    expect(runner.violations).toEqual([code]);
  });

  it('closes when a frame is repeated', async () => {
    const session = await asked();
    const line = JSON.stringify(taken(session));
    session.approver.wire.inject(line);
    session.approver.wire.inject(line);
    await settle();
    expect(session.runner.heard).toEqual(['allow-once ask-1']);
    expect(session.runner.violations).toEqual(['bad-sequence']);
  });

  it('closes when a frame is missing, or two come in the wrong order', async () => {
    const session = await asked();
    session.approver.session.ping();
    session.approver.wire.take();
    session.approver.wire.inject(JSON.stringify(taken(session)));
    await settle();
    expect(session.runner.violations).toEqual(['bad-sequence']);
    expect(session.runner.heard).toEqual([]);
  });

  it('closes when a frame comes back to the side that sent it', async () => {
    const { approver, runner } = await openSessions();
    runner.wire.hold();
    runner.session.ask(sampleAsk());
    approver.wire.inject(runner.wire.take()[0] ?? '');
    await settle();
    expect(runner.violations).toEqual(['bad-mac']);
  });

  it('closes when a frame from another session is played to it', async () => {
    const one = await asked();
    const other = await openSessions({ random: (bytes) => new Uint8Array(bytes).fill(9) });
    other.runner.session.ask(sampleAsk());
    other.approver.wire.inject(JSON.stringify(taken(one)));
    await settle();
    expect(other.runner.violations).toEqual(['bad-mac']);
    expect(other.runner.heard).toEqual([]);
  });

  it.each([10_001, -10_001])('closes when a frame is %i ms old', async (age) => {
    const session = await asked();
    session.approver.session.decide(allow(session.digest));
    session.clock.jump(age);
    session.approver.wire.release();
    await settle();
    expect(session.runner.violations).toEqual(['stale-timestamp']);
    expect(session.runner.heard).toEqual([]);
  });

  it('closes when frames come faster than is allowed, and not before', async () => {
    const { approver, clock, runner } = await openSessions({
      limits: { burst: 5, framesPerSecond: 2 },
    });
    for (let index = 0; index < 5; index += 1) approver.session.ping();
    await settle();
    clock.lag(1_000);
    approver.session.ping();
    approver.session.ping();
    await settle();
    expect(runner.violations).toEqual([]);
    approver.session.ping();
    await settle();
    expect(runner.violations).toEqual(['rate-exceeded']);
  });
});

/** An approver that holds the session's key but not to the rules. */
async function cheat(bodies: (digest: string) => readonly unknown[], ask: Partial<Ask> = {}) {
  const random = (bytes: number): Uint8Array => new Uint8Array(bytes).fill(7);
  const { approver, clock, runner } = await openSessions({ random });
  const nonce = Buffer.alloc(32, 7).toString('base64url');
  const key = sessionKey('a-token-for-tests-of-32-bytes-or-so', { server: nonce, client: nonce });
  const digest = runner.session.ask(sampleAsk(ask));
  let seq = 0;
  for (const body of bodies(digest)) {
    seq += 1;
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const frame = { seq, ts: clock.now(), body: text };
    approver.wire.inject(JSON.stringify({ ...frame, mac: frameMac(key, 'approver', frame) }));
  }
  await settle();
  return runner;
}

describe('a runner whose approver signs what it should not', () => {
  const yes = { type: 'decision', id: 'ask-1', decision: 'allow-once' };

  it.each<[ViolationCode, (digest: string) => readonly unknown[]]>([
    ['digest-mismatch', () => [{ ...yes, askDigest: digestOf('something else') }]],
    ['unknown-ask', (askDigest) => [{ ...yes, askDigest, id: 'ask-2' }]],
    ['unknown-type', () => [{ type: 'ask', ask: sampleAsk() }]],
    ['unknown-type', () => [{ type: 'constructor' }]],
    ['unknown-type', () => [{}]],
    ['bad-json', () => ['{"type":"ping"']],
    ['bad-frame', () => ['"ping"']],
    ['bad-frame', () => [yes]],
    ['bad-frame', (askDigest) => [{ ...yes, askDigest, decision: 'allow' }]],
    [
      'bad-frame',
      (askDigest) => [{ ...yes, askDigest, remember: { duration: 'always', proposalId: 'p1' } }],
    ],
    [
      'bad-json',
      (askDigest) => [
        `{"type":"decision","id":"ask-1","askDigest":"${askDigest}","decision":"allow-once","__proto__":{}}`,
      ],
    ],
    [
      'bad-json',
      (askDigest) => [
        `{"type":"decision","id":"ask-1","askDigest":"${askDigest}","decision":"deny","decision":"allow-once"}`,
      ],
    ],
    [
      'not-offered',
      (askDigest) => [
        {
          ...yes,
          askDigest,
          decision: 'allow-always',
          remember: { duration: '15-minutes', proposalId: 'p1' },
        },
      ],
    ],
    [
      'not-offered',
      (askDigest) => [
        {
          ...yes,
          askDigest,
          decision: 'allow-always',
          remember: { duration: 'always', proposalId: 'p2' },
        },
      ],
    ],
  ])('closes over %s', async (code, bodies) => {
    const runner = await cheat(bodies);
    expect(runner.violations).toEqual([code]);
    expect(runner.heard).toEqual([]);
  });

  it('takes the first of two answers only', async () => {
    const runner = await cheat((askDigest) => [
      { ...yes, askDigest, decision: 'deny' },
      { ...yes, askDigest },
    ]);
    expect(runner.heard).toEqual(['deny ask-1']);
    expect(runner.violations).toEqual(['already-answered']);
  });

  it('takes no "always" without a choice where nothing is offered for good', async () => {
    const runner = await cheat((askDigest) => [{ ...yes, askDigest, decision: 'allow-always' }], {
      durations: ['once', '15-minutes'],
    });
    expect(runner.violations).toEqual(['not-offered']);
  });

  it('takes no "always" where only "once" was offered', async () => {
    const runner = await cheat((askDigest) => [{ ...yes, askDigest, decision: 'allow-always' }], {
      durations: ['once'],
      proposals: [],
    });
    expect(runner.violations).toEqual(['not-offered']);
  });
});

describe('a decision that crosses with something on its way', () => {
  it('counts for nothing after a withdrawal, and breaks nothing', async () => {
    const session = await asked();
    session.approver.session.decide(allow(session.digest));
    session.runner.session.withdraw('ask-1', 'lockout');
    session.approver.wire.release();
    await settle();
    expect(session.runner.heard).toEqual(['late ask-1 withdrawn']);
    expect(session.runner.violations).toEqual([]);
    expect(session.approver.heard).toEqual([]);
    expect(session.approver.violations).toEqual([]);
  });

  it('counts for nothing after the deadline, even before the runner has withdrawn', async () => {
    const session = await asked({ expiresAt: 1_700_000_005_000 });
    session.clock.jump(5_001);
    session.approver.wire.release();
    session.approver.session.decide(allow(session.digest));
    await settle();
    expect(session.runner.heard).toEqual(['late ask-1 expired']);
    session.runner.session.withdraw('ask-1', 'expired');
    await settle();
    expect(session.runner.violations).toEqual([]);
  });

  it('is lost when the approver dies between ask and answer, and the runner learns it', async () => {
    const session = await asked();
    session.approver.session.decide(allow(session.digest));
    session.approver.wire.crash();
    await settle();
    expect(session.runner.heard).toEqual([]);
    expect(session.runner.ends.map((end) => end.code)).toEqual(['closed-by-peer']);
  });
});
