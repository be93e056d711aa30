import { existsSync, readFileSync, statSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { browserLinkTtlMs } from '../../../app/electron/browser-page.ts';
import { queuedAsk } from '../../support/queued-ask.ts';
import { openPage, swap } from '../console/support.ts';
import type { TestPage } from '../console/support.ts';
import { startFake } from './support/start.ts';
import type { FakeShell } from './support/start.ts';

let fake: FakeShell;
const pages: TestPage[] = [];
afterEach(async () => {
  for (const { socket } of pages.splice(0)) socket.terminate();
  await fake.end();
});

type Errand = Parameters<FakeShell['openInBrowser']>[0];

/** What the system was to open last, and the link in it. */
function handedOver() {
  const file = fake.opened.at(-1) ?? '';
  const link = /url=([^"]*)/u.exec(readFileSync(file, 'utf8'))?.[1] ?? '';
  const { port, hash } = new URL(link);
  const [, token = '', view = ''] = /^#token=([^/]*)(.*)$/u.exec(hash) ?? [];
  return { file, port: Number(port), token, view };
}

/** A page of the browser that came by the link. */
async function enter(errand: Errand) {
  await fake.openInBrowser(errand);
  const { port, token } = handedOver();
  const answer = await swap(port, token);
  expect(answer.status).toBe(200);
  const page = openPage(port, (JSON.parse(answer.text) as { session: string }).session);
  pages.push(page);
  const call = async (name: string, args: object): Promise<unknown> => {
    page.socket.send(JSON.stringify({ type: 'call', id: 1, name, args }));
    for (;;) {
      const message = await page.next();
      if (message === null || message['type'] === 'result') return message?.['answer'];
    }
  };
  await page.next();
  return { call, port };
}

const yes = (id: string) => ({ id, askDigest: 'a'.repeat(64), decision: 'allow-once' as const });

describe('the page in the browser', () => {
  it('is served from the moment that the person wants it, by a link in a file of their own', async () => {
    fake = await startFake();
    expect(fake.knock()).toBeNull();
    const { address } = (await fake.openInBrowser({ errand: 'passkeys' })) ?? {};
    const { file, port, token, view } = handedOver();
    expect(address).toBe(`http://localhost:${port}/`);
    expect(file.startsWith(`${fake.home}/`)).toBe(true);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(file).not.toContain(token);
    expect(view).toBe('/settings/passkeys');
    expect((await swap(port, token)).status).toBe(200);
    expect((await swap(port, token)).status).toBe(403);
    expect(existsSync(file)).toBe(false);
  });

  it('has a link that ends after two minutes, with its file', async () => {
    fake = await startFake();
    await fake.openInBrowser({ errand: 'unlock' });
    const { file, port, token } = handedOver();
    fake.clock.advance(browserLinkTtlMs + 1);
    expect(existsSync(file)).toBe(false);
    expect((await swap(port, token)).status).toBe(403);
  });

  it.each([
    [{ errand: 'ask', id: 'a/b?"><i>' } as const, '/asks/a%2Fb%3F%22%3E%3Ci%3E'],
    [{ errand: 'unlock' } as const, '/asks'],
  ])('shows first what %o is about', async (errand, view) => {
    fake = await startFake();
    await fake.openInBrowser(errand);
    expect(handedOver().view).toBe(view);
  });

  it('is at one port for as long as the app runs, and ends with it', async () => {
    fake = await startFake();
    const { port } = await enter({ errand: 'unlock' });
    await fake.openInBrowser({ errand: 'unlock' });
    expect(handedOver().port).toBe(port);
    const { file } = handedOver();
    await fake.shell?.dispose();
    expect(existsSync(file)).toBe(false);
    await expect(swap(port, 'x')).rejects.toThrow('ECONNREFUSED');
    expect(fake.clock.pending).toBe(0);
  });

  it('gives a second start its link, once it is there', async () => {
    fake = await startFake();
    await enter({ errand: 'unlock' });
    const link = fake.knock() ?? '';
    const { port, token } = handedOverBy(link);
    expect((await swap(port, token)).status).toBe(200);
  });

  it('makes no further link for whoever is there', async () => {
    fake = await startFake();
    const { call } = await enter({ errand: 'unlock' });
    const before = fake.opened.length;
    expect(await call('openInBrowser', { errand: 'unlock' })).toMatchObject({
      ok: false,
      refusal: { code: 'invalid-request' },
    });
    expect(fake.opened.length).toBe(before);
    expect(fake.host.calls).toEqual([]);
  });

  it('asks for the finger before an unlock as the app’s own windows do', async () => {
    fake = await startFake({
      platform: 'darwin',
      settings: { version: 1, touchIdForUnlock: true },
      before: ({ touchId }) => void (touchId.confirms = false),
    });
    const { call } = await enter({ errand: 'unlock' });
    expect(await call('unlock', { passphrase: 'right' })).toMatchObject({
      ok: false,
      refusal: { code: 'confirm-rejected' },
    });
    expect(fake.host.calls).toEqual([]);
  });
});

function handedOverBy(link: string) {
  const { port, hash } = new URL(link);
  return { port: Number(port), token: hash.slice('#token='.length) };
}

describe('the way back', () => {
  it('leads to the next ask, once the one that it was about is answered', async () => {
    fake = await startFake({ argv: ['--hidden'] });
    fake.host.ask(queuedAsk({ id: 'one' }), queuedAsk({ id: 'two' }));
    fake.host.results.set('answer', { ok: true, result: { accepted: true } });
    const { call } = await enter({ errand: 'ask', id: 'one' });
    const before = fake.windows.at(-1)?.focused ?? false;
    await call('answer', yes('two'));
    expect(fake.windows.at(-1)?.focused ?? false).toBe(before);
    await call('answer', yes('one'));
    expect(fake.windows.at(-1)?.urls.at(-1)).toBe('app://interlock/#/prompt/two');
    expect(fake.windows.at(-1)?.focused).toBe(true);
  });

  it('opens no window where none was open and nothing waits', async () => {
    fake = await startFake({ argv: ['--hidden'] });
    fake.host.results.set('answer', { ok: true, result: { accepted: true } });
    const { call } = await enter({ errand: 'ask', id: 'one' });
    await call('answer', yes('one'));
    expect(fake.windows).toEqual([]);
  });

  it.each([
    ['passkeys', 'addPasskey'],
    ['unlock', 'unlockWithPasskey'],
  ] as const)('leads to the window after %s by %s, and only after that', async (errand, name) => {
    fake = await startFake();
    const { call } = await enter({ errand });
    const refusal = { code: 'confirm-rejected', message: 'No.', hint: '' } as const;
    fake.host.results.set(name, { ok: false, refusal });
    const focus = (): number =>
      fake.windows[0]?.calls.filter((what) => what === 'focus').length ?? 0;
    const before = focus();
    await call(name, argumentsOf[name]);
    expect(focus()).toBe(before);
    fake.host.results.delete(name);
    await call(name, argumentsOf[name]);
    expect(focus()).toBe(before + 1);
    // It was for once: the next one is the person's own doing.
    await call(name, argumentsOf[name]);
    expect(focus()).toBe(before + 1);
  });
});

const nonce = 'n'.repeat(43);
const assertion = { id: 'i', clientDataJSON: 'c', authenticatorData: 'a', signature: 's' };
const argumentsOf = {
  addPasskey: {
    nonce,
    name: 'laptop',
    attestation: { id: 'i', clientDataJSON: 'c', attestationObject: 'o', transports: [] },
    proof: { passphrase: 'p' },
  },
  unlockWithPasskey: { nonce, assertion },
};
