import { randomBytes, createHash } from 'node:crypto';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { EgressPorts, RequestRow } from '../../../runner/egress/ports.ts';
import { talk } from './harness.ts';
import { get, shake, to, upstream } from './intercepted.ts';

describe('a tunnel to a domain whose headers are set', () => {
  it('takes the sentinel in, and sends the real one out', async () => {
    const one = await upstream();
    const { said, until } = await shake(one);
    said(get('Authorization: Bearer sentinel\r\nX-Other: kept\r\n', '/a?b'));
    await until('GET /a?b');
    expect(one.seen[0]?.rawHeaders).toEqual(
      [
        ['Host', 'up.example', 'X-Other', 'kept'],
        ['authorization', 'Bearer real-token', 'Connection', 'keep-alive'],
      ].flat(),
    );
    expect(one.dialled).toEqual(['8.8.8.8:443']);
  });

  it('carries bodies to the byte, both ways, over one connection', async () => {
    const one = await upstream();
    const body = randomBytes(3 << 20);
    const digest = createHash('sha256').update(body).digest('hex');
    const { socket } = await shake(one);
    const send = async (): Promise<string> =>
      new Promise((resolve, reject) => {
        const req = request(
          {
            createConnection: () => socket,
            method: 'POST',
            path: '/up',
            headers: { host: 'up.example' },
          },
          (res) => {
            let text = '';
            res.on('data', (chunk) => (text += String(chunk)));
            res.on('end', () => resolve(text));
          },
        );
        req.on('error', reject);
        req.end(body);
      });
    expect(await send()).toBe(`POST /up ${digest}`);
    expect(one.shaken()).toBe(1);
  });

  it('opens one connection there for all that comes through it', async () => {
    const one = await upstream();
    const { said, until } = await shake(one);
    for (const path of ['/1', '/2', '/3']) {
      said(get('', path));
      await until(`GET ${path} `);
    }
    expect(one.shaken()).toBe(1);
    expect(one.resolved).toEqual(['up.example']);
  });

  it.each([
    ['no CA of ours', { ca: null }, /unable to (?:verify|get)/iu],
    ['another name in the handshake', { servername: 'other.example' }, /./u],
    ['no name that there is', { servername: 'up.example.evil' }, /./u],
  ])('is not finished by a client with %s', async (_, client, error) => {
    const one = await upstream();
    await expect(shake(one, client)).rejects.toThrow(error);
    await expect.poll(() => one.proxy.open()).toBe(0);
    expect(one.shaken()).toBe(0);
  });

  it('is one for a client that names no host in the handshake', async () => {
    const one = await upstream();
    const { said, until } = await shake(one, { servername: null });
    said(get());
    await until('GET /');
    expect(one.seen[0]?.headers.authorization).toBe('Bearer real-token');
  });

  it('speaks HTTP/1.1, whatever else a client offers', async () => {
    const one = await upstream();
    const { socket } = await shake(one, { alpn: ['h2', 'http/1.1'] });
    expect(socket.alpnProtocol).toBe('http/1.1');
  });

  it.each([
    ['another Host', 'GET / HTTP/1.1\r\nHost: other.example\r\n\r\n'],
    ['another port', 'GET / HTTP/1.1\r\nHost: up.example:444\r\n\r\n'],
    ['no Host', 'GET / HTTP/1.1\r\n\r\n'],
    ['two Hosts', 'GET / HTTP/1.1\r\nHost: up.example\r\nHost: up.example\r\n\r\n'],
    ['a whole address', 'GET http://other.example/ HTTP/1.1\r\nHost: up.example\r\n\r\n'],
    ['its own whole address', 'GET https://up.example/ HTTP/1.1\r\nHost: up.example\r\n\r\n'],
    ['a path that is none', 'GET /a\\b HTTP/1.1\r\nHost: up.example\r\n\r\n'],
    [
      'two lengths',
      'POST / HTTP/1.1\r\nHost: up.example\r\nContent-Length: 0\r\nContent-Length: 1\r\n\r\n',
    ],
    [
      'length and chunks',
      'POST / HTTP/1.1\r\nHost: up.example\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    ],
    ['a tunnel in the tunnel', 'CONNECT other.example:443 HTTP/1.1\r\nHost: other.example\r\n\r\n'],
    ['a way to see headers', 'TRACE / HTTP/1.1\r\nHost: up.example\r\n\r\n'],
    [
      'headers that are too large',
      `GET / HTTP/1.1\r\nHost: up.example\r\nX: ${'a'.repeat(40_000)}\r\n\r\n`,
    ],
    ['no HTTP', 'hello\r\n\r\n'],
  ])('passes nothing on with %s', async (_, bytes) => {
    const one = await upstream();
    const { said, until } = await shake(one);
    said(bytes);
    expect(await until('HTTP/1.1 4')).toMatch(/^HTTP\/1\.1 4\d\d /u);
    expect(one.seen).toEqual([]);
    expect(one.shaken()).toBe(0);
  });

  it('is closed where no encryption begins', async () => {
    const one = await upstream();
    const said = talk(
      one.port,
      `CONNECT ${to} HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\nHost: up.example\r\n\r\n`,
    );
    await said.all;
    await expect.poll(() => one.proxy.open()).toBe(0);
    expect(one.shaken()).toBe(0);
  });

  it('lets a client take none of the set headers away', async () => {
    const one = await upstream();
    const { said, until } = await shake(one);
    said(get('Connection: authorization, x-a\r\nX-A: 1\r\n'));
    await until('GET /');
    expect(one.seen[0]?.headers).toMatchObject({ authorization: 'Bearer real-token' });
    expect(one.seen[0]?.headers['x-a']).toBeUndefined();
  });

  it('is written down with what became of its request, also where the client leaves before', async () => {
    const rows: string[] = [];
    const record = {
      allowed: async () => {},
      refused: () => {},
      ended: () => {},
      request: ({ method, path, status }: RequestRow) =>
        void rows.push(`${method} ${path} ${String(status)}`),
    };
    const one = await upstream({}, { record });
    const first = await shake(one);
    first.said(get('', '/a?secret=b'));
    await first.until('GET /a');
    one.server.removeAllListeners('request');
    const asked = new Promise((resolve) => one.server.once('request', resolve));
    first.said(get('', '/b'));
    await asked;
    first.socket.destroy();
    await expect.poll(() => rows).toEqual(['GET /a 200', 'GET /b null']);
  });

  it('lets a client put none of the set headers behind its body', async () => {
    const one = await upstream();
    const came = new Promise<IncomingMessage>((resolve) => one.server.once('request', resolve));
    const { said, until } = await shake(one);
    said(
      'POST / HTTP/1.1\r\nHost: up.example\r\nTE: trailers\r\nTransfer-Encoding: chunked\r\n\r\n' +
        '3;x=y\r\nabc\r\n0\r\nAuthorization: own\r\nContent-Length: 9\r\nX-Sum: s\r\n\r\n',
    );
    await until('POST /');
    expect((await came).rawTrailers).toEqual(['X-Sum', 's']);
  });

  it('ends where the answer comes before all of the body, and says so', async () => {
    const one = await upstream();
    one.server.removeAllListeners('request');
    one.server.on('request', (_req, res) => res.writeHead(413).end('too large'));
    const { said, ended } = await shake(one);
    said('POST / HTTP/1.1\r\nHost: up.example\r\nContent-Length: 1000\r\n\r\nabc');
    const answer = await ended;
    expect(answer).toMatch(/^HTTP\/1\.1 413 [^]*\r\nConnection: close\r\n[^]*too large/u);
    expect(answer.match(/HTTP\/1\.1/gu)).toHaveLength(1);
  });

  it('answers what a client sends ahead in order, and one at a time', async () => {
    const one = await upstream();
    let open = 0;
    let most = 0;
    one.server.prependListener('request', (_req, res) => {
      open += 1;
      most = Math.max(most, open);
      res.once('close', () => (open -= 1));
    });
    const { said, until } = await shake(one);
    said(['/1', '/2', '/3', '/4'].map((path) => get('', path)).join(''));
    const all = await until('GET /4 ');
    expect(all.match(/GET \/\d/gu)).toEqual(['GET /1', 'GET /2', 'GET /3', 'GET /4']);
    expect(most).toBe(1);
  });

  it('sends nothing where the secret is gone', async () => {
    const one = await upstream({}, { secret: async () => null });
    const { said, until } = await shake(one);
    said(get('Authorization: sentinel\r\n'));
    expect(await until('not to be had')).toMatch(/^HTTP\/1\.1 400 /u);
    expect(one.seen).toEqual([]);
  });
});

describe('the server at the other end', () => {
  it.each([
    ['that nobody vouches for', { roots: () => [] }],
    ['that proves another name', { certified: 'other.example' }],
  ])('%s gets nothing', async (_, ports: Partial<EgressPorts> & { certified?: string }) => {
    const one = await upstream({}, ports);
    const { said, until } = await shake(one);
    said(get('Authorization: sentinel\r\n'));
    expect(await until('upstream-unavailable')).toContain('certificate');
    expect(one.seen).toEqual([]);
  });
});

describe('what does not end soon', () => {
  it('WebSocket goes both ways', async () => {
    const one = await upstream();
    one.server.on('upgrade', (req, socket) => {
      one.seen.push(req);
      socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
      );
      socket.pipe(socket);
    });
    const { said, until, ended } = await shake(one);
    said(get('Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: k\r\n'));
    await until('101 Switching Protocols');
    expect(one.seen[0]?.headers).toMatchObject({
      authorization: 'Bearer real-token',
      'sec-websocket-key': 'k',
    });
    said('ping');
    await until('ping');
    one.set({ allow: [] });
    await ended;
  });

  it('events come one by one', async () => {
    const one = await upstream();
    const waits: (() => void)[] = [];
    one.server.removeAllListeners('request');
    one.server.on('request', (_req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.flushHeaders();
      waits.push(() => res.write('data: 1\n\n'));
    });
    const { said, until } = await shake(one);
    said(get());
    await until('event-stream');
    waits[0]?.();
    await until('data: 1');
  });
});

describe('when the settings change', () => {
  it('the next request has the headers of the new ones', async () => {
    const one = await upstream();
    const { said, until } = await shake(one);
    said(get('', '/1'));
    await until('GET /1 ');
    one.set({ transforms: [{ host: 'up.example', set: { 'x-new': 'n' } }] });
    said(get('Authorization: own\r\n', '/2'));
    await until('GET /2 ');
    expect(one.seen[1]?.headers).toMatchObject({ 'x-new': 'n', authorization: 'own' });
  });

  it.each([
    ['it is not allowed any more', { allow: [] }],
    ['nothing is set in it any more', { transforms: [] }],
  ])('the tunnel is closed with its upstream at once where %s', async (_, changed) => {
    const one = await upstream();
    const { said, until, ended } = await shake(one);
    said(get());
    await until('GET /');
    one.set(changed);
    await ended;
    expect(one.proxy.open()).toBe(0);
  });
});
