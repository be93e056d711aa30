import { beforeEach, describe, expect, it } from 'vitest';
import type { Answer, AppState } from '../../../app/bridge/types.ts';
import { createAskQueue } from '../../../app/host/ask-queue.ts';
import { hostForDevice } from '../../../app/console/device-host.ts';
import type { DeviceRights } from '../../../shared/engine/index.ts';
import { softAuthenticator } from '../../support/authenticator.ts';
import { queuedAsk } from '../../support/queued-ask.ts';

const own = softAuthenticator();
const ask = queuedAsk({ id: 'one', risk: { level: 'low', findings: [] } });

const state: AppState = {
  revision: 1,
  now: 0,
  runner: null,
  queue: [ask],
  missed: [],
  policy: { hash: 'h', problem: null },
  passkeys: [{ id: own.id, name: 'phone', rpId: 'a', transports: [], madeAt: 0, lastUsedAt: null }],
};
const calls: { readonly name: string; readonly args: unknown }[] = [];
const host = {
  handle: async (call: string, args: unknown) => {
    calls.push({ name: call, args });
    return { ok: true as const, result: { accepted: true } };
  },
  subscribe: (listener: (state: AppState) => void) => {
    listener(state);
    return () => undefined;
  },
};

const subscribed: string[] = [];
const push = {
  key: async () => 'v'.repeat(87),
  subscribe: async (device: string) => void subscribed.push(device),
  follow: () => () => undefined,
};

const how = { push, now: () => 10_000 };

beforeEach(() => {
  calls.length = 0;
  subscribed.length = 0;
});

describe('what a device may', () => {
  const who = (rights: DeviceRights, opened: 'locked' | 'passkey' = 'passkey') =>
    ({ device: { id: 'd', name: 'phone', rights, passkey: own.id }, opened }) as const;
  const yes = {
    id: 'one',
    askDigest: ask.askDigest,
    decision: 'allow-once',
    assertion: own.sign('x'),
    sentAt: 9_000,
  };

  it('is held to before the call reaches anything', async () => {
    const locked = hostForDevice(host, who('everything', 'locked'), () => false, how);
    const answering = hostForDevice(host, who('answer'), () => false, how);
    const revoked = hostForDevice(host, who('everything'), () => true, how);
    for (const [one, call, args] of [
      [locked, 'answer', yes],
      [locked, 'history', { offset: 0, limit: 1 }],
      [answering, 'savePolicy', {}],
      [answering, 'nonsense', {}],
      [answering, 'answer', { ...yes, assertion: softAuthenticator().sign('x') }],
      [answering, 'answerMany', { answers: [{ ...yes, decision: 'allow-always' }] }],
      [revoked, 'lockout', { reason: '' }],
    ] as const)
      expect(await one.handle(call, args)).toMatchObject({ ok: false });
    expect(calls).toEqual([]);
    await answering.handle('answer', yes);
    await locked.handle('lockout', { reason: '' });
    expect(calls.map((one) => one.name)).toEqual(['answer', 'lockout']);
  });

  it('is one of two that answer at once: the first counts, and the second is told', async () => {
    const delivered: string[] = [];
    const queue = createAskQueue({ now: () => 0, onChange: () => undefined });
    queue.take({ deliver: ({ decision }) => delivered.push(decision) > 0 }, ask);
    const real = {
      handle: async (_call: string, args: unknown) => ({
        ok: true as const,
        result: { accepted: queue.answer(args as Answer) },
      }),
      subscribe: (listener: (state: AppState) => void) => {
        listener({ ...state, queue: queue.state().waiting });
        return () => undefined;
      },
    };
    const [one, other] = [1, 2].map(() => hostForDevice(real, who('everything'), () => false, how));
    const answers = await Promise.all([
      one?.handle('answer', yes),
      other?.handle('answer', { id: yes.id, askDigest: yes.askDigest, decision: 'deny' }),
    ]);
    expect(answers.map((answer) => answer?.ok === true && answer.result)).toEqual([
      { accepted: true },
      { accepted: false },
    ]);
    expect(delivered).toEqual(['allow-once']);
    expect(await one?.handle('answer', yes)).toMatchObject({ result: { accepted: false } });
    expect(delivered).toHaveLength(1);
  });

  it('is told of asks at an address of its own, and of no other device', async () => {
    const device = hostForDevice(host, who('answer'), () => false, how);
    const address = {
      endpoint: 'https://a.example/',
      p256dh: 'k'.repeat(87),
      auth: 'a'.repeat(22),
    };
    expect(await device.handle('pushKey', {})).toMatchObject({ ok: true });
    expect(await device.handle('subscribePush', { ...address, device: 'x' })).toMatchObject({
      ok: false,
    });
    expect(await device.handle('subscribePush', address)).toMatchObject({ ok: true });
    expect(subscribed).toEqual(['d']);
    const lockout = hostForDevice(host, who('lockout'), () => false, how);
    expect(await lockout.handle('subscribePush', address)).toMatchObject({ ok: false });
    expect(subscribed).toEqual(['d']);
  });

  it('counts for nothing as a yes that was under way for long, or does not say since when', async () => {
    const device = hostForDevice(host, who('everything'), () => false, how);
    const { sentAt: _none, ...unsaid } = yes;
    for (const one of [unsaid, { ...yes, sentAt: 4_999 }, { ...yes, sentAt: 15_001 }]) {
      expect(await device.handle('answer', one)).toMatchObject({ ok: false });
      expect(await device.handle('answerMany', { answers: [one] })).toMatchObject({ ok: false });
    }
    expect(calls).toEqual([]);
    // A no does no harm, however late.
    await device.handle('answer', { id: 'one', askDigest: ask.askDigest, decision: 'deny' });
    await device.handle('answer', { ...yes, sentAt: 5_000 });
    expect(calls.map(({ args }) => args)).toEqual([
      { id: 'one', askDigest: ask.askDigest, decision: 'deny' },
      { ...unsaid },
    ]);
  });

  it('does not count where the ask is gone, another one, or was answered by somebody else', async () => {
    const device = hostForDevice(host, who('everything'), () => false, how);
    for (const stale of [{ id: 'gone' }, { askDigest: 'f'.repeat(64) }])
      expect(await device.handle('answer', { ...yes, ...stale })).toEqual({
        ok: true,
        result: { accepted: false },
      });
    expect(calls).toEqual([]);
  });
});
