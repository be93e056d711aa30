import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startUiHost } from '../../../app/host/start.ts';
import { startSocketPath } from '../../../app/host/single-instance.ts';
import type { Decision } from '../../../shared/engine/ask.ts';
import { sampleAsk } from '../../support/sample-ask.ts';
import { testHome } from './support.ts';
import type { TestHome } from './support.ts';

let home: TestHome;
beforeEach(async () => {
  home = await testHome();
});
afterEach(() => home.close());

const soon = () => ({ createdAt: Date.now(), expiresAt: Date.now() + 60_000 });

describe('the UI host', () => {
  it('shows what a runner asks, and hands the answer back once', async () => {
    const { host, until } = await home.start();
    const runner = await home.connectRunner();
    const decision = new Promise<Decision>((resolve) => runner.onDecision(resolve));
    const digest = runner.ask(sampleAsk({ id: 'a1', ...soon() }));
    const { queue } = await until((state) => state.queue.length === 1);
    expect(queue[0]?.askDigest).toBe(digest);

    const deny = { id: 'a1', askDigest: digest, decision: 'deny', note: 'use git push' } as const;
    expect(await host.handle('answer', deny)).toEqual({ ok: true, result: { accepted: true } });
    expect(await decision).toEqual(deny);
    expect(await host.handle('answer', deny)).toEqual({ ok: true, result: { accepted: false } });
    await until((state) => state.queue.length === 0 && state.missed.length === 0);
  });

  it('answers many at once, and says which came too late', async () => {
    const { host, until } = await home.start();
    const runner = await home.connectRunner();
    const digests = ['a1', 'a2'].map((id) => runner.ask(sampleAsk({ id, ...soon() })));
    await until((state) => state.queue.length === 2);
    const answers = ['a1', 'gone', 'a2'].map((id) => ({
      id,
      askDigest: digests[id === 'a2' ? 1 : 0],
      decision: 'allow-once',
    }));
    expect(await host.handle('answerMany', { answers })).toEqual({
      ok: true,
      result: { accepted: [true, false, true] },
    });
  });

  it('refuses an answer that was not offered, and the runner never hears it', async () => {
    const { host, until } = await home.start();
    const runner = await home.connectRunner();
    let closed = false;
    runner.onClose(() => (closed = true));
    const askDigest = runner.ask(sampleAsk({ id: 'a1', ...soon() }));
    await until((state) => state.queue.length === 1);
    const remember = { duration: '15-minutes', proposalId: 'p1' };
    const answer = { id: 'a1', askDigest, decision: 'allow-always', remember };
    expect(await host.handle('answer', answer)).toMatchObject({ ok: false });
    runner.state({ mode: 'paused', reason: null, running: 0, pending: 1, policyProblem: null });
    await until((state) => state.runner?.mode === 'paused');
    expect(closed).toBe(false);
  });

  it('shows withdrawn asks as missed, and all of a runner that went away', async () => {
    const { until } = await home.start();
    const runner = await home.connectRunner();
    runner.ask(sampleAsk({ id: 'a1', ...soon() }));
    runner.ask(sampleAsk({ id: 'a2', ...soon() }));
    runner.withdraw('a1', 'expired');
    const first = await until((state) => state.missed.length === 1);
    expect(first.missed).toMatchObject([{ ask: { id: 'a1' }, reason: 'expired' }]);
    runner.dispose();
    const second = await until((state) => state.missed.length === 2);
    expect(second.queue).toEqual([]);
    expect(second.missed[0]).toMatchObject({ ask: { id: 'a2' }, reason: 'runner-stopping' });
  });

  it('lets nobody in who does not know the token', async () => {
    const lines: string[] = [];
    await home.start({ log: (line) => lines.push(line) });
    const token = home.policy().socket?.token;
    const refused = home.connectRunner('another-token-of-at-least-32-bytes-x');
    await expect(refused).rejects.toThrow(/hmac-fail|approver-unavailable/);
    expect(lines.join()).toContain('bad-mac');
    expect(lines.join()).not.toContain(token);
  });

  it('locks out with no runner there, so that the next one starts locked', async () => {
    const { host, until } = await home.start();
    const answer = await host.handle('lockout', { reason: 'it went wild' });
    expect(answer).toEqual({
      ok: true,
      result: expect.objectContaining({ stopped: 0, tokenRotated: true, runnerReached: false }),
    });
    expect(JSON.parse(readFileSync(home.paths.lockout, 'utf8'))).toMatchObject({
      locked: true,
      reason: 'it went wild',
      by: 'person',
    });
    const { stop, runner } = await until((state) => state.stop?.mode === 'locked');
    expect(stop).toMatchObject({ reason: 'it went wild' });
    expect(runner).toBeNull();
  });

  it('says that there is no runner for what only a runner can do', async () => {
    const { host } = await home.start();
    expect(await host.handle('history', { offset: 0, limit: 10 })).toMatchObject({
      ok: false,
      refusal: { code: 'host-unavailable' },
    });
  });

  it('lists secrets without their values, and removes one', async () => {
    const { host } = await home.start();
    const kept = await home.optionsFor().home.openNamedSecrets();
    await kept.set('github', Buffer.from('a-value-that-nobody-sees'));
    const listed = JSON.stringify(await host.handle('secrets', {}));
    expect(listed).toContain('"name":"github"');
    expect(listed).not.toContain('a-value-that-nobody-sees');
    expect(await host.handle('removeSecret', { name: 'github' })).toEqual({ ok: true, result: {} });
    expect(await host.handle('removeSecret', { name: 'github' })).toMatchObject({
      ok: false,
      refusal: { code: 'invalid-request' },
    });
    expect(await host.handle('removeSecret', { name: '../x' })).toMatchObject({ ok: false });
    expect(JSON.stringify(await host.handle('secrets', {}))).not.toContain('"github"');
  });

  it('tells about its health, and mends loose file modes', async () => {
    const { host } = await home.start();
    chmodSync(home.paths.config, 0o644);
    const before = await host.handle('health', {});
    expect(JSON.stringify(before)).toMatch(/"id":"file-modes","level":"(danger|warning)"/);
    const after = await host.handle('mend', { id: 'file-modes' });
    expect(JSON.stringify(after)).toContain('"id":"file-modes","level":"ok"');
  });
});

describe('a second start', () => {
  it('brings the first to the front, learns its link, and touches nothing', async () => {
    const link = 'http://127.0.0.1:1/#token=x';
    const { until } = await home.start({ shell: 'console', onFocus: () => link });
    const second = await startUiHost(home.optionsFor());
    expect(second).toEqual({
      kind: 'already-running',
      other: { shell: 'console', pid: process.pid, link },
    });
    const runner = await home.connectRunner();
    runner.ask(sampleAsk({ id: 'a1', ...soon() }));
    await until((state) => state.queue.length === 1);
  });

  it('takes over when the first is gone', async () => {
    const { host } = await home.start();
    await host.dispose();
    expect(existsSync(home.paths.approvalsSocket)).toBe(false);
    expect(existsSync(startSocketPath(home.paths))).toBe(false);
    await home.start();
  });
});
