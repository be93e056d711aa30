import { afterEach, describe, expect, it } from 'vitest';
import { channels } from '../../../app/electron/ipc.ts';
import { queuedAsk } from '../../support/queued-ask.ts';
import { startFake } from './support/start.ts';
import type { FakeShell } from './support/start.ts';

let fake: FakeShell;
afterEach(() => fake.end());

/** An event from the top frame of the main window, with parts replaced. */
function event(change: { frame?: object | null; sender?: object } = {}) {
  const contents = fake.windows[0]?.webContents;
  const frame = {
    routingId: 1,
    processId: 7,
    parent: null,
    detached: false,
    origin: 'app://interlock',
    url: 'app://interlock/#/asks',
    ...change.frame,
  };
  return {
    sender: { id: contents?.id, mainFrame: { routingId: 1, processId: 7 }, ...change.sender },
    senderFrame: change.frame === null ? null : frame,
  };
}

const send = async (from: object, ...args: unknown[]) =>
  fake.handlers.get(channels.call)?.(from, ...args);

const refused = { ok: false, refusal: expect.objectContaining({ code: 'invalid-request' }) };

describe('a message from a page', () => {
  it('reaches the host when all is well', async () => {
    fake = await startFake();
    const { ask, askDigest } = queuedAsk();
    const answer = { id: ask.id, askDigest, decision: 'deny' };
    fake.host.results.set('answer', { ok: true, result: { accepted: true } });
    await expect(send(event(), 'answer', answer)).resolves.toEqual({
      ok: true,
      value: { ok: true, result: { accepted: true } },
    });
    expect(fake.host.calls).toEqual([['answer', answer]]);
  });

  it.each([
    ['a frame inside the page', { frame: { parent: {} } }],
    ['a frame that is gone', { frame: null }],
    ['a detached frame', { frame: { detached: true } }],
    ['another frame of the same window', { frame: { routingId: 2 } }],
    ['another process', { frame: { processId: 8 } }],
    ['another origin', { frame: { origin: 'https://example.com' } }],
    ['an origin that looks alike', { frame: { origin: 'app://interlock.example' } }],
    ['another address', { frame: { url: 'about:blank' } }],
    ['a window that is not ours', { sender: { id: 999 } }],
  ])('is refused from %s', async (_what, change) => {
    fake = await startFake();
    await expect(send(event(change), 'health', {})).resolves.toEqual(refused);
    expect(fake.host.calls).toEqual([]);
  });

  it.each([
    ['no call', []],
    ['an unknown call', ['rm', {}]],
    ['a call that every object has', ['toString', {}]],
    ['no arguments', ['health']],
    ['arguments that are not an object', ['health', 'all']],
    ['an array', ['health', []]],
    ['a field too many', ['lockout', { reason: 'x', force: true }]],
    ['a value of the wrong type', ['lockout', { reason: 1 }]],
    [
      'a decision that does not exist',
      ['answer', { id: 'a', askDigest: '0'.repeat(64), decision: 'ok' }],
    ],
    ['an argument too many', ['health', {}, 'more']],
  ])('is refused with %s', async (_what, args) => {
    fake = await startFake();
    await expect(send(event(), ...args)).resolves.toEqual(refused);
    expect(fake.host.calls).toEqual([]);
  });

  it('gets a refusal without inner details when the host fails', async () => {
    fake = await startFake();
    fake.host.handle = async () => {
      throw new Error('token 123 in /home/me');
    };
    const answer = await send(event(), 'health', {});
    expect(answer).toMatchObject({ ok: false, refusal: { code: 'host-unavailable' } });
    expect(JSON.stringify(answer)).not.toContain('123');
  });

  it('gets the state as it is when it starts to listen, and every change after that', async () => {
    fake = await startFake();
    const ready = await fake.handlers.get(channels.ready)?.(event());
    expect(ready).toMatchObject({ ok: true, value: { revision: 1 } });
    fake.host.ask(queuedAsk());
    const sent = fake.windows[0]?.webContents.sent.at(-1);
    expect(sent).toMatchObject([
      channels.state,
      { type: 'change', change: { base: 1, revision: 2, queue: { insert: [{ at: 0 }] } } },
    ]);
  });

  it('can come through two channels and no other', async () => {
    fake = await startFake();
    expect([...fake.handlers.keys()].toSorted()).toEqual([channels.call, channels.ready]);
  });
});

describe('unlock', () => {
  const unlock = async () => send(event(), 'unlock', { passphrase: 'correct horse' });

  it('on a Mac with Touch ID goes on only when the person confirms', async () => {
    fake = await startFake({ platform: 'darwin' });
    await expect(unlock()).resolves.toMatchObject({ ok: true, value: { ok: true } });
    expect(fake.touchId.asked).toBe(1);
    expect(fake.host.calls).toHaveLength(1);
  });

  it('is refused, and the passphrase goes nowhere, when Touch ID says no', async () => {
    fake = await startFake({
      platform: 'darwin',
      before: ({ touchId }) => void (touchId.confirms = false),
    });
    await expect(unlock()).resolves.toMatchObject({
      ok: true,
      value: { ok: false, refusal: { code: 'confirm-rejected' } },
    });
    expect(fake.host.calls).toEqual([]);
  });

  it.each([
    ['on Linux', { platform: 'linux' as const }],
    [
      'where the settings say so',
      { platform: 'darwin' as const, settings: { version: 1, touchIdForUnlock: false } },
    ],
  ])('needs no Touch ID %s', async (_where, change) => {
    fake = await startFake(change);
    await unlock();
    expect(fake.touchId.asked).toBe(0);
    expect(fake.host.calls).toHaveLength(1);
  });
});
