import { afterEach, describe, expect, it } from 'vitest';
import { sessionEndedCode } from '../../../app/bridge/console-session.ts';
import { bridgeVersion, pageMessageLimit } from '../../../app/bridge/messages.ts';
import { connectPage, openPage, testConsole } from './support.ts';
import type { TestConsole, TestPage } from './support.ts';

let running: TestConsole | undefined;
afterEach(async () => {
  await running?.close();
  running = undefined;
});

async function start(): Promise<TestConsole & { readonly page: TestPage }> {
  running = await testConsole();
  const page = await connectPage(running.console.port, running.console.newLink());
  expect(await page.next()).toEqual({
    type: 'connection',
    connected: true,
    version: bridgeVersion,
  });
  expect(await page.next()).toMatchObject({ type: 'state', state: { revision: 0 } });
  return { ...running, page };
}

function call(id: number, name = 'resume', args: unknown = {}): string {
  return JSON.stringify({ type: 'call', id, name, args });
}

describe('a connected page', () => {
  it('gets the state once, and then what changes', async () => {
    const { page, feed } = await start();
    feed.changed();
    expect(await page.next()).toMatchObject({ type: 'change', change: { base: 0, revision: 1 } });
  });

  it('gets the result of its calls under their ids', async () => {
    const { page, calls } = await start();
    page.socket.send(call(7, 'pause', { reason: 'lunch' }));
    expect(await page.next()).toEqual({
      type: 'result',
      id: 7,
      answer: { ok: true, result: {} },
    });
    expect(calls).toEqual([{ name: 'pause', args: { reason: 'lunch' } }]);
  });

  it('gets a refusal for wrong arguments, and stays connected', async () => {
    const { page, calls } = await start();
    page.socket.send(call(1, 'pause', { reason: 1 }));
    expect(await page.next()).toMatchObject({ id: 1, answer: { ok: false } });
    page.socket.send(call(2));
    expect(await page.next()).toMatchObject({ id: 2, answer: { ok: true } });
    expect(calls).toHaveLength(1);
  });

  it.each([
    ['text that is not a message', 'hello'],
    ['an unknown call', call(1, 'shutdown')],
    ['bytes', Buffer.from(call(1))],
    ['too much text', 'x'.repeat(pageMessageLimit + 1)],
  ])('is cut off for %s', async (_name, message) => {
    const { page, calls } = await start();
    page.socket.send(message);
    expect([1008, 1009]).toContain(await page.closed);
    expect(calls).toEqual([]);
  });

  it('is cut off when it calls without end', async () => {
    const { page, calls } = await start();
    for (let id = 0; id < 500; id += 1) page.socket.send(call(id));
    expect(await page.closed).toBe(1008);
    expect(calls.length).toBeLessThanOrEqual(100);
  });

  it('is told goodbye when nobody used it for long, and its session is over', async () => {
    const { page, clock } = await start();
    clock.lag(1_000_001);
    clock.advance(30_000);
    expect(await page.next()).toEqual({ type: 'connection', connected: false, reason: 'idle' });
    await page.closed;
  });

  it('is told goodbye when the console ends', async () => {
    const { page, console } = await start();
    const ended = console.dispose();
    expect(await page.next()).toMatchObject({ type: 'connection', reason: 'stopping' });
    await ended;
    await page.closed;
  });

  it('comes back with the same session when its network was gone', async () => {
    const started = await testConsole();
    running = started;
    const first = await connectPage(started.console.port, started.console.newLink());
    await first.next();
    first.socket.terminate();
    await first.closed;
    const again = openPage(started.console.port, first.session);
    expect(await again.next()).toMatchObject({ connected: true });
  });
});

describe('a page without a session', () => {
  it('is told that it needs a new link', async () => {
    running = await testConsole();
    const page = openPage(running.console.port, 'Z'.repeat(43));
    expect(await page.closed).toBe(sessionEndedCode);
    expect(await page.next()).toBeNull();
  });

  it('of another origin gets no connection, whatever session it has', async () => {
    const { console, page } = await start();
    const stranger = openPage(console.port, page.session, { origin: 'http://evil.example' });
    expect(await stranger.closed).toBe(1006);
  });
});
