import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { sessionEndedCode, subprotocolsFor } from '../../app/bridge/console-session.ts';
import { expect, test } from '../support/console.ts';

/** A request as a program makes it: with any Origin and Host, which a browser would not allow. */
function ask(
  address: URL,
  options: {
    readonly method?: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
  },
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { method = 'GET', path, headers, body } = options;
    const sent = request(
      { host: address.hostname, port: address.port, method, path, headers },
      (answer) => {
        answer.resume();
        resolve(answer);
      },
    );
    sent.once('error', reject);
    sent.end(body);
  });
}

const json = { 'content-type': 'application/json' };

test('the token leaves the address at once, and works once', async ({ interlock, browser }) => {
  const link = await interlock.openConsole();
  const first = await browser.newPage();
  await first.goto(link);
  await expect(first).toHaveTitle('Armed · Interlock');
  expect(first.url()).not.toContain('token');
  expect(await first.evaluate(() => JSON.stringify(history.state))).not.toContain('token');
  const second = await (await browser.newContext()).newPage();
  await second.goto(link);
  await expect(second.getByRole('alert')).toContainText('This tab is not connected to Interlock');
  expect(second.url()).not.toContain('token');
});

test('a foreign Origin or Host gets nothing', async ({ interlock }) => {
  const link = new URL(await interlock.openConsole());
  const token = link.hash.replace('#token=', '');
  const swap = { method: 'POST', path: '/session', body: JSON.stringify({ token }) };
  const attempts: readonly Readonly<Record<string, string>>[] = [
    { host: link.host, origin: 'http://evil.example', ...json },
    { host: link.host, origin: `http://127.0.0.1:1`, ...json },
    { host: link.host, origin: 'null', ...json },
    { host: link.host, ...json },
    { host: 'evil.example', origin: 'http://evil.example', ...json },
    { host: `127.0.0.1:${link.port}`, origin: `http://127.0.0.1:${link.port}`, ...json },
  ];
  for (const headers of attempts) {
    const { statusCode } = await ask(link, { ...swap, headers });
    expect(statusCode, JSON.stringify(headers)).toBeGreaterThanOrEqual(400);
  }
  const page = await ask(link, { path: '/', headers: { host: 'evil.example' } });
  expect(page.statusCode).toBeGreaterThanOrEqual(400);
  // None of it used the link up.
  const own = await ask(link, {
    ...swap,
    headers: { host: link.host, origin: link.origin, ...json },
  });
  expect(own.statusCode).toBe(200);
});

test('a WebSocket without a session learns nothing', async ({ interlock, page }) => {
  const { origin } = new URL(await interlock.openConsole());
  await page.goto(origin);
  const end = await page.evaluate(
    (protocols) =>
      new Promise<{ code: number; messages: number }>((resolve) => {
        let messages = 0;
        const socket = new WebSocket(new URL('/bridge', location.href), protocols);
        socket.addEventListener('message', () => (messages += 1));
        socket.addEventListener('close', ({ code }) => resolve({ code, messages }));
      }),
    subprotocolsFor('A'.repeat(43)),
  );
  expect(end.messages).toBe(0);
  expect([sessionEndedCode, 1006]).toContain(end.code);
});

test('the page is served with the whole content security policy', async ({ interlock }) => {
  const link = new URL(await interlock.openConsole());
  const { headers } = await ask(link, { path: '/', headers: { host: link.host } });
  const policy = String(headers['content-security-policy']);
  for (const directive of [
    "default-src 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types interlock-worker',
  ]) {
    expect(policy).toContain(directive);
  }
  expect(policy).not.toMatch(/unsafe|data:|\*/);
});
