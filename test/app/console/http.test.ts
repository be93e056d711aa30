import { statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { contentSecurityPolicy } from '../../../app/host/page-files.ts';
import { passkeyPath, sessionPath } from '../../../app/bridge/console-session.ts';
import { mostNewcomers } from '../../../app/console/server.ts';
import { connectPage, send, swap, testConsole, tokenIn } from './support.ts';
import type { TestConsole } from './support.ts';

let running: TestConsole | undefined;
async function start(options: Parameters<typeof testConsole>[0] = {}): Promise<TestConsole> {
  running = await testConsole(options);
  return running;
}
afterEach(async () => {
  await running?.close();
  running = undefined;
});

describe('the console', () => {
  it('serves the page with its security headers', async () => {
    const { console } = await start();
    const page = await send(console.port, '/');
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining('Interlock') });
    expect(page.headers).toMatchObject({
      'content-security-policy': contentSecurityPolicy,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'content-type': 'text/html; charset=utf-8',
    });
    const script = await send(console.port, '/assets/app-1a2b.js');
    expect(script.headers).toMatchObject({ 'content-type': 'text/javascript; charset=utf-8' });
  });

  it.each([
    '/../secret.html',
    '/..%2fsecret.html',
    '/assets/../../secret.html',
    '/notes.txt',
    '//',
    '/index.html?x=1',
    '/assets',
  ])('serves nothing but the files of the page: %s', async (path) => {
    const { console } = await start();
    const answer = await send(console.port, path);
    expect(answer.status).toBe(404);
    expect(answer.text).not.toContain('beside the page');
    expect(answer.headers['content-security-policy']).toBe(contentSecurityPolicy);
  });

  it('answers nobody who calls it by another name', async () => {
    const { console } = await start();
    const answer = await send(console.port, '/', { headers: { host: 'evil.example' } });
    expect(answer.status).toBe(421);
  });

  it('takes nothing but GET', async () => {
    const { console } = await start();
    expect((await send(console.port, '/', { method: 'PUT' })).status).toBe(405);
  });
});

describe('the swap of a link for a session', () => {
  it('works once, and tells that the link was used', async () => {
    const { console, linksUsed } = await start();
    const token = tokenIn(console.newLink());
    const first = await swap(console.port, token);
    expect(first.status).toBe(200);
    expect(JSON.parse(first.text)).toEqual({ session: expect.stringMatching(/^[\w-]{43}$/) });
    expect(linksUsed()).toBe(1);
    const second = await swap(console.port, token);
    expect(second.status).toBe(403);
    expect(JSON.parse(second.text)).toMatchObject({ ok: false, refusal: { code: 'hmac-fail' } });
  });

  const headers: readonly (readonly [string, Record<string, string>, number])[] = [
    ['another origin', { origin: 'http://evil.example' }, 403],
    ['a sandboxed origin', { origin: 'null' }, 403],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ['another host', { host: 'localhost:1' }, 421],
  ];
  it.each(headers)('does not happen for %s, and spends nothing', async (_name, extra, status) => {
    const { console } = await start();
    const token = tokenIn(console.newLink());
    expect((await swap(console.port, token, extra)).status).toBe(status);
    expect((await swap(console.port, token)).status).toBe(200);
  });

  it.each(['', '{', '[]', '{"token":1}', '{"token":"x"}', `{"token":"${'x'.repeat(5_000)}"}`])(
    'does not happen for a broken body: %.20s',
    async (body) => {
      const { console } = await start();
      const answer = await send(console.port, '/session', {
        method: 'POST',
        headers: {
          origin: `http://localhost:${console.port}`,
          'content-type': 'application/json',
        },
        body,
      });
      expect(answer.status).toBe(403);
    },
  );
});

describe('another user of the machine', () => {
  const posted = async ({ port }: TestConsole['console'], path: string, what: object) =>
    send(port, path, {
      method: 'POST',
      headers: { origin: `http://localhost:${port}`, 'content-type': 'application/json' },
      body: JSON.stringify(what),
    });

  it('asks for as many nonces as they like, and the person opens the page by a passkey', async () => {
    const proved: string[] = [];
    const nonce = 'n'.repeat(43);
    const door = {
      nonce: () => nonce,
      prove: async (shown: { readonly nonce: string }) => void proved.push(shown.nonce),
    };
    const { console } = await start({ door });
    for (let asked = 0; asked < 40; asked += 1)
      expect((await posted(console, passkeyPath, {})).status).toBe(200);
    const assertion = { id: 'x', clientDataJSON: 'x', authenticatorData: 'x', signature: 'x' };
    expect((await posted(console, sessionPath, { nonce, assertion })).status).toBe(200);
    expect(proved).toEqual([nonce]);
  });

  it('holds no connection that the person needs', async () => {
    const { console } = await start();
    const page = await connectPage(console.port, console.newLink());
    expect(await page.next()).toMatchObject({ type: 'connection', connected: true });
    let ended = 0;
    const sockets = Array.from({ length: mostNewcomers + 20 }, () =>
      connect({ host: '127.0.0.1', port: console.port })
        .on('error', () => undefined)
        .on('close', () => (ended += 1)),
    );
    try {
      await expect.poll(() => ended).toBeGreaterThanOrEqual(20);
      expect((await send(console.port, '/')).status).toBe(200);
      expect(page.socket.readyState).toBe(page.socket.OPEN);
    } finally {
      for (const socket of sockets) socket.destroy();
      page.socket.terminate();
    }
  });

  it('gets the whole connection closed where it asks for no page of ours', async () => {
    const { console } = await start();
    const socket = connect({ host: '127.0.0.1', port: console.port, allowHalfOpen: true });
    const closed = new Promise((resolve) => {
      socket.once('close', resolve).once('error', resolve);
    });
    const head = ['GET /bridge HTTP/1.1', `host: localhost:${console.port}`, 'connection: upgrade'];
    socket.write(
      [...head, 'upgrade: websocket', 'origin: http://evil.example', '', ''].join('\r\n'),
    );
    socket.resume();
    await new Promise((resolve) => {
      socket.once('end', resolve);
    });
    // Its end stays open; what it sends is answered by nobody.
    await expect
      .poll(() => {
        socket.write('x');
        return socket.destroyed;
      })
      .toBe(true);
    await closed;
  });
});

describe('the console on a Unix socket', () => {
  it('is ours alone, and answers under the loopback names of a tunnel', async () => {
    const { console, folder } = await start({ tunnel: true });
    const unix = join(folder, 'console.sock');
    expect(statSync(unix).mode & 0o777).toBe(0o600);
    const page = await send(console.port, '/', { unix, headers: { host: 'localhost:8077' } });
    expect(page.status).toBe(200);
    const other = await send(console.port, '/', { unix, headers: { host: 'evil.example' } });
    expect(other.status).toBe(421);

    const link = new URL(console.newTunnelLink(8077));
    expect(link.host).toBe('localhost:8077');
    const swapped = await send(console.port, '/session', {
      unix,
      method: 'POST',
      headers: {
        host: 'localhost:8077',
        origin: 'http://localhost:8077',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ token: tokenIn(link.href) }),
    });
    expect(swapped.status).toBe(200);
  });
});
