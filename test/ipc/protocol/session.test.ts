import { describe, expect, it } from 'vitest';
import { sampleAsk } from '../../support/sample-ask.ts';
import { openSessions, settle } from '../../support/sessions.ts';

describe('a session of version 2', () => {
  it('carries an ask to the approver whole, and its decision back', async () => {
    const { approver, runner } = await openSessions();
    const digest = runner.session.ask(sampleAsk());
    await settle();
    expect(approver.asks).toEqual([{ ask: sampleAsk(), digest }]);
    expect(
      approver.session.decide({ id: 'ask-1', askDigest: digest, decision: 'allow-once' }),
    ).toBe(true);
    await settle();
    expect(runner.heard).toEqual(['allow-once ask-1']);
    expect(runner.violations.concat(approver.violations)).toEqual([]);
  });

  it('carries withdrawals and the state of the runner', async () => {
    const { approver, runner } = await openSessions();
    runner.session.ask(sampleAsk());
    runner.session.withdraw('ask-1', 'lockout');
    runner.session.withdraw('never-asked', 'expired');
    runner.session.state({
      mode: 'locked',
      reason: 'x',
      running: 0,
      pending: 0,
      policyProblem: null,
    });
    await settle();
    expect(approver.heard).toEqual(['withdraw ask-1 lockout', 'state locked']);
  });

  it('never puts the token on the wire', async () => {
    const { runner, approver } = await openSessions();
    const seen: string[] = [];
    for (const side of [runner, approver]) {
      const send = side.wire.send.bind(side.wire);
      side.wire.send = (line) => {
        seen.push(line);
        send(line);
      };
    }
    const digest = runner.session.ask(sampleAsk());
    await settle();
    approver.session.decide({ id: 'ask-1', askDigest: digest, decision: 'deny' });
    await settle();
    expect(seen).toHaveLength(2);
    expect(seen.join('\n')).not.toContain('a-token-for-tests');
  });

  it('tells both sides once when one of them closes, and leaves no timer behind', async () => {
    const { approver, clock, runner } = await openSessions();
    expect(clock.pending).toBe(2);
    runner.session.dispose();
    runner.session.dispose();
    await settle();
    expect(runner.ends.map((end) => end.code)).toEqual(['closed-here']);
    expect(approver.ends.map((end) => end.code)).toEqual(['closed-by-peer']);
    expect(clock.pending).toBe(0);
    expect(runner.violations.concat(approver.violations)).toEqual([]);
  });

  it('refuses to ask once the approver is gone', async () => {
    const { approver, runner } = await openSessions();
    runner.session.ask(sampleAsk());
    approver.wire.crash();
    await settle();
    expect(runner.ends.map((end) => end.code)).toEqual(['closed-by-peer']);
    expect(() => runner.session.ask(sampleAsk({ id: 'ask-2' }))).toThrow('approver-unavailable');
    expect(runner.heard).toEqual([]);
  });

  it('stays open for as long as pings come, and closes on a peer that falls silent', async () => {
    const { approver, clock, runner } = await openSessions();
    for (let tick = 0; tick < 20; tick += 1) {
      clock.advance(10_000);
      await settle();
    }
    expect(runner.ends).toEqual([]);
    approver.wire.hold();
    for (let tick = 0; tick < 5; tick += 1) {
      clock.advance(10_000);
      await settle();
    }
    expect(runner.violations).toEqual(['peer-silent']);
    expect(clock.pending).toBe(0);
  });

  it('refuses an ask that no frame can hold, and keeps the session', async () => {
    const { approver, runner } = await openSessions();
    expect(() => runner.session.ask(sampleAsk({ command: 'x'.repeat(300_000) }))).toThrow(
      'invalid-request',
    );
    runner.session.ask(sampleAsk({ id: 'ask-2' }));
    await settle();
    expect(approver.asks.map(({ ask }) => ask.id)).toEqual(['ask-2']);
  });

  it('refuses an ask that the schema does not know', async () => {
    const { runner } = await openSessions();
    const wrong = { ...sampleAsk(), extra: 1 };
    expect(() => runner.session.ask(wrong)).toThrow('extra');
  });

  it('refuses a second ask under the same id', async () => {
    const { runner } = await openSessions();
    runner.session.ask(sampleAsk());
    expect(() => runner.session.ask(sampleAsk())).toThrow('invalid-request');
    runner.session.withdraw('ask-1', 'expired');
    expect(() => runner.session.ask(sampleAsk())).toThrow('invalid-request');
  });

  it('refuses asks beyond the number that may be open', async () => {
    const { runner } = await openSessions({ limits: { maxOpenAsks: 1 } });
    runner.session.ask(sampleAsk());
    expect(() => runner.session.ask(sampleAsk({ id: 'ask-2' }))).toThrow('concurrency-busy');
  });

  it('refuses to ask faster than its peer allows, and keeps the session', async () => {
    const { approver, clock, runner } = await openSessions({
      limits: { burst: 8, framesPerSecond: 4 },
    });
    const ask = (id: string): unknown => runner.session.ask(sampleAsk({ id }));
    ask('a');
    ask('b');
    expect(() => ask('c')).toThrow('rate-limit');
    clock.lag(1_000);
    ask('c');
    await settle();
    expect(approver.asks).toHaveLength(3);
    expect(approver.violations).toEqual([]);
  });

  it('does not send a decision on something that is not open there', async () => {
    const { approver, runner } = await openSessions();
    const digest = runner.session.ask(sampleAsk());
    await settle();
    const answer = { id: 'ask-1', askDigest: digest, decision: 'deny' } as const;
    expect(approver.session.decide({ ...answer, id: 'other' })).toBe(false);
    expect(approver.session.decide({ ...answer, askDigest: '0'.repeat(64) })).toBe(false);
    expect(approver.session.decide(answer)).toBe(true);
    expect(approver.session.decide(answer)).toBe(false);
    await settle();
    expect(runner.heard).toEqual(['deny ask-1']);
    expect(runner.violations).toEqual([]);
  });

  it('does not send an answer that would end the session, and leaves the ask open', async () => {
    const { approver, runner } = await openSessions();
    const askDigest = runner.session.ask(sampleAsk());
    await settle();
    const remember = { duration: 'always', proposalId: 'p1' } as const;
    const always = { id: 'ask-1', askDigest, decision: 'allow-always' } as const;
    for (const wrong of [
      { ...always, remember: { ...remember, proposalId: 'p2' } },
      { ...always, remember: { ...remember, duration: '15-minutes' } as const },
      { ...always, decision: 'deny', remember } as const,
      { ...always, decision: 'deny', note: 'x'.repeat(3_000) } as const,
    ]) {
      expect(() => approver.session.decide(wrong)).toThrow('invalid-request');
    }
    expect(approver.session.decide({ ...always, remember })).toBe(true);
    await settle();
    expect(runner.heard).toEqual(['allow-always ask-1']);
  });
});
