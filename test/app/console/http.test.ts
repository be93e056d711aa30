import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { contentSecurityPolicy } from '../../../app/host/page-files.ts';
import { send, swap, testConsole, tokenIn } from './support.ts';
import type { TestConsole } from './support.ts';

let running: TestConsole | undefined;
async function start(options: { readonly tunnel?: boolean } = {}): Promise<TestConsole> {
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
