import { createServer as createHttp } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { rig, serving, talk, tunnelled } from './harness.ts';
import type { Rig } from './harness.ts';

const get = (host: string, more = ''): string =>
  `GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\n${more}\r\n`;
const ask = (host: string, more = ''): string => get(host, `Connection: close\r\n${more}`);

/** A web server behind `up.example:80` that says what it got. */
async function web(one: Rig, at = '8.8.8.8:80'): Promise<IncomingMessage[]> {
  const seen: IncomingMessage[] = [];
  const server = createHttp((req, res) => {
    seen.push(req);
    let body = '';
    req.on('data', (chunk) => (body += String(chunk)));
    req.on('end', () => res.end(`${req.method ?? ''} ${req.url ?? ''} ${body.length} ok`));
  });
  one.servers.set(at, await serving(server));
  return seen;
}

describe('a target that is not allowed', () => {
  it('is a 403 with our code and how to ask, for a tunnel and for a page', async () => {
    const one = await rig({});
    const tunnel = await tunnelled(one.port, 'up.example:443');
    const page = await talk(one.port, ask('up.example')).all;
    for (const answer of [await tunnel.all, page]) {
      expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/u);
      expect(answer.toLowerCase()).toContain('x-interlock-refusal: egress-deny\r\n');
      expect(answer).toContain('interlock: egress-deny: No rule allows up.example:');
      expect(answer).toContain('have a person allow the host under egress.allow');
    }
    expect(one.dialled).toEqual([]);
    expect(one.resolved).toEqual([]);
    expect(one.refused.map(({ what, code }) => `${what} ${code}`)).toEqual([
      'CONNECT up.example:443 egress-deny',
      'HTTP up.example:80 egress-deny',
    ]);
  });

  it.each([
    ['by a name that leads to a private address', 'private.example:443'],
    ['by a name that leads to this machine, too', 'mixed.example:443'],
    ['by a name that leads to credentials of a cloud', 'metadata.example:80'],
    ['by the name of this machine', 'localhost:443'],
    ['by address: loopback', '127.0.0.1:443'],
    ['by address: loopback of IPv6', '[::1]:443'],
    ['by address: mapped', '[::ffff:127.0.0.1]:443'],
    ['by address: mapped in hex', '[::ffff:7f00:1]:443'],
    ['by address: compatible', '[::127.0.0.1]:443'],
    ['by address: translated', '[64:ff9b::7f00:1]:443'],
    ['by address: 6to4', '[2002:7f00:1::]:443'],
    ['by address: metadata', '169.254.169.254:80'],
    ['by address: any', '0.0.0.0:80'],
    ['by address: none', '[::]:80'],
    ['by address: private', '192.168.0.1:443'],
    ['by address: another public one', '1.1.1.1:443'],
    ['by a port that no rule names', 'up.example:22'],
  ])('is none under "*" either: %s', async (_, to) => {
    const one = await rig({ allow: ['*'] });
    expect(await (await tunnelled(one.port, to)).all).toMatch(/^HTTP\/1\.1 403 /u);
    expect(one.dialled).toEqual([]);
  });

  it.each([
    'up.example',
    'up.example:0',
    'up.example:99999',
    'user@up.example:443',
    'up.example:443@evil.example:443',
    'http://up.example:443',
    '/up.example:443',
    '2130706433:443',
    '0x7f000001:443',
    '017700000001:443',
    '127.1:443',
    '0177.0.0.1:443',
    '127.0.0.01:443',
    '127.0.0.1.:443',
    '[::1%25lo]:443',
    '[127.0.0.1]:443',
    'up.example%00:443',
    'up..example:443',
    'up.example\\:443',
    '*:443',
    '*.up.example:443',
    'b\xfccher.example:443',
  ])('is a 400 where it can be read in two ways: CONNECT %s', async (to) => {
    const one = await rig({ allow: ['*:*', '0.0.0.0/0', '[::]/0'] });
    const said = talk(one.port, `CONNECT ${to} HTTP/1.1\r\nHost: ${to}\r\n\r\n`);
    expect(await said.all).toMatch(/^HTTP\/1\.1 400 /u);
    expect(one.dialled).toEqual([]);
  });

  it.each([
    ['of this proxy itself', 'GET / HTTP/1.1\r\nHost: up.example\r\n\r\n'],
    ['of all of it', 'OPTIONS * HTTP/1.1\r\nHost: up.example\r\n\r\n'],
    ['encrypted', 'GET https://up.example/ HTTP/1.1\r\nHost: up.example\r\n\r\n'],
    ['of another kind', 'GET ftp://up.example/ HTTP/1.1\r\nHost: up.example\r\n\r\n'],
    ['of a file', 'GET file:///etc/passwd HTTP/1.1\r\nHost: up.example\r\n\r\n'],
    ['with a user', 'GET http://a@up.example/ HTTP/1.1\r\nHost: up.example\r\n\r\n'],
    ['with a backslash', 'GET http://up.example\\@evil/ HTTP/1.1\r\nHost: up.example\r\n\r\n'],
    ['with a fragment', 'GET http://up.example/#x HTTP/1.1\r\nHost: up.example\r\n\r\n'],
    ['without a host', 'GET http:///x HTTP/1.1\r\nHost: up.example\r\n\r\n'],
    ['with another Host', 'GET http://up.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n'],
    ['with another port in Host', 'GET http://up.example/ HTTP/1.1\r\nHost: up.example:81\r\n\r\n'],
    ['without Host', 'GET http://up.example/ HTTP/1.1\r\n\r\n'],
    ['with two Hosts', get('up.example', 'Host: up.example\r\n')],
    ['with two different Hosts', get('up.example', 'Host: evil.example\r\n')],
    ['with two lengths', get('up.example', 'Content-Length: 0\r\nContent-Length: 5\r\n')],
    ['with one length twice', get('up.example', 'Content-Length: 0\r\nContent-Length: 0\r\n')],
    [
      'with length and chunks',
      get('up.example', 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n'),
    ],
    [
      'with chunks and length',
      get('up.example', 'Transfer-Encoding: chunked\r\nContent-Length: 5\r\n'),
    ],
    ['with an unknown coding', get('up.example', 'Transfer-Encoding: gzip\r\n')],
    ['with a coding in disguise', get('up.example', 'Transfer-Encoding: xchunked\r\n')],
    ['with two codings', get('up.example', 'Transfer-Encoding: chunked, identity\r\n')],
    ['with a coding behind a tab', get('up.example', 'Transfer-Encoding:\x0bchunked\r\n')],
    ['with a blank before the colon', get('up.example', 'Content-Length : 5\r\n')],
    ['with a folded header', get('up.example', 'X-A: b\r\n folded\r\n')],
    ['with a bare return', get('up.example', 'X-A: b\rHost: evil.example\r\n')],
    ['with a zero in a header', get('up.example', 'X-A: b\0c\r\n')],
    ['with a name that is none', get('up.example', 'X A: b\r\n')],
    ['with a negative length', get('up.example', 'Content-Length: -1\r\n')],
    ['with a length in hex', get('up.example', 'Content-Length: 0x5\r\n')],
    [
      'with a length taken away',
      get('up.example', 'Connection: content-length\r\nContent-Length: 0\r\n'),
    ],
    ['with headers that are too large', get('up.example', `X-A: ${'a'.repeat(40_000)}\r\n`)],
    ['with too much of an address', `GET http://up.example/${'a'.repeat(40_000)} HTTP/1.1\r\n\r\n`],
    ['in another version', 'GET http://up.example/ HTTP/9.9\r\nHost: up.example\r\n\r\n'],
    ['in HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['in encryption', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['in SOCKS', '\x05\x01\x00'],
    ['in nothing', 'hello\r\n\r\n'],
  ])('a page is not passed on %s', async (_, bytes) => {
    const one = await rig({ allow: ['*:*'] });
    const seen = await web(one);
    const answer = await talk(one.port, bytes).all;
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /u);
    expect(answer).not.toContain(' ok');
    expect(seen).toEqual([]);
  });

  it.each(['TRACE', 'TRACK'])('%s would show headers, and is not passed on', async (method) => {
    const one = await rig({ allow: ['up.example'] });
    const seen = await web(one);
    const answer = talk(
      one.port,
      `${method} http://up.example/ HTTP/1.1\r\nHost: up.example\r\nConnection: close\r\n\r\n`,
    );
    expect(await answer.all).toMatch(/^HTTP\/1\.1 4\d\d /u);
    expect(seen).toEqual([]);
  });
});

describe('a page', () => {
  it('goes to the address that was looked up once, with the host that was decided on', async () => {
    const one = await rig({ allow: ['up.example'] });
    const seen = await web(one);
    const answer = await talk(one.port, ask('UP.example.', 'X-A: 1\r\nProxy-Connection: x\r\n'))
      .all;
    expect(answer).toContain('GET / 0 ok');
    expect(one.resolved).toEqual(['up.example']);
    expect(one.dialled).toEqual(['8.8.8.8:80']);
    expect(seen[0]?.rawHeaders).toEqual(
      [
        ['Host', 'up.example', 'X-A', '1'],
        ['Connection', 'keep-alive'],
      ].flat(),
    );
  });

  it('of one that hangs on comes over one connection, decided on each time', async () => {
    const one = await rig({ allow: ['up.example'] });
    await web(one);
    const said = talk(one.port, get('up.example'));
    await said.until('ok');
    said.socket.write(get('other.example'));
    await said.until('egress-deny');
    expect(one.dialled).toEqual(['8.8.8.8:80']);
    const next = talk(one.port, get('up.example'));
    await next.until('ok');
    one.set({ allow: [] });
    next.socket.write(get('up.example'));
    await next.until('egress-deny');
    expect(one.dialled).toHaveLength(2);
    expect(one.ended.map(({ code }) => code)).toContain('egress-deny');
  });

  it('with a redirect to metadata is answered with it, and not followed', async () => {
    const one = await rig({ allow: ['up.example'] });
    const server = createHttp((_req, res) => {
      res.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end();
    });
    one.servers.set('8.8.8.8:80', await serving(server));
    const answer = await talk(one.port, ask('up.example')).all;
    expect(answer).toMatch(/^HTTP\/1\.1 302 /u);
    expect(await talk(one.port, ask('169.254.169.254')).all).toMatch(/^HTTP\/1\.1 403 /u);
    expect(one.dialled).toEqual(['8.8.8.8:80']);
  });

  it('keeps its status, its words, its headers as they are, and its trailers', async () => {
    const one = await rig({ allow: ['up.example'] });
    const server = createServer((socket) => {
      socket.once('data', () => {
        socket.end(
          'HTTP/1.1 299 Quite Odd\r\nX-MiXed: 1\r\nx-mixed: 2\r\nSet-Cookie: a\r\nSet-Cookie: b\r\n' +
            'Transfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n3\r\nabc\r\n0\r\nX-T: t\r\n\r\n',
        );
      });
    });
    one.servers.set('8.8.8.8:80', await serving(server));
    const answer = await talk(one.port, ask('up.example')).all;
    expect(answer).toMatch(
      /^HTTP\/1\.1 299 Quite Odd\r\nX-MiXed: 1\r\nx-mixed: 2\r\nSet-Cookie: a\r\nSet-Cookie: b\r\n/u,
    );
    expect(answer).toContain('\r\nabc\r\n');
    expect(answer).toContain('X-T: t');
  });

  it.each([
    ['a length', 'Content-Length: 5\r\n', 'hello'],
    ['chunks', 'Transfer-Encoding: chunked\r\n', '5\r\nhello\r\n0\r\n\r\n'],
  ])('takes a body with %s', async (_, framing, body) => {
    const one = await rig({ allow: ['up.example'] });
    await web(one);
    const head = 'POST http://up.example/x HTTP/1.1\r\nHost: up.example\r\nConnection: close\r\n';
    expect(await talk(one.port, `${head}${framing}\r\n${body}`).all).toContain('POST /x 5 ok');
  });

  it('without a body says so, and is not given one', async () => {
    const one = await rig({ allow: ['up.example'] });
    const seen = await web(one);
    for (const method of ['POST', 'DELETE', 'PUT', 'HEAD'])
      await talk(
        one.port,
        `${method} http://up.example/ HTTP/1.1\r\nHost: up.example\r\nConnection: close\r\n\r\n`,
      ).all;
    expect(seen.map(({ headers }) => headers['transfer-encoding'])).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('may wait for a word before it sends its body', async () => {
    const one = await rig({ allow: ['up.example'] });
    await web(one);
    const head = 'POST http://up.example/ HTTP/1.1\r\nHost: up.example\r\nContent-Length: 2\r\n';
    const said = talk(one.port, `${head}Expect: 100-continue\r\nConnection: close\r\n\r\n`);
    await said.until('HTTP/1.1 100 Continue\r\n\r\n');
    said.socket.write('hi');
    expect(await said.all).toContain('POST / 2 ok');
  });

  it('that expects something else is told so', async () => {
    const one = await rig({ allow: ['up.example'] });
    expect(await talk(one.port, ask('up.example', 'Expect: wonders\r\n')).all).toMatch(
      /^HTTP\/1\.1 417 /u,
    );
  });

  it('whose server breaks off in the middle is broken off, too', async () => {
    const one = await rig({ allow: ['up.example'] });
    const server = createServer((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc');
        setImmediate(() => socket.destroy());
      });
    });
    one.servers.set('8.8.8.8:80', await serving(server));
    const said = talk(one.port, get('up.example'));
    expect(await said.all).toMatch(/Content-Length: 10\r\n[^]*\r\n\r\nabc$/u);
  });

  it.each([
    ['nothing', ''],
    ['no HTTP', 'hello\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    [
      'length and chunks',
      'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['headers that are too large', `HTTP/1.1 200 OK\r\nX: ${'a'.repeat(70_000)}\r\n\r\n`],
  ])('whose server answers %s is a 502 of ours', async (_, bytes) => {
    const one = await rig({ allow: ['up.example'] });
    const server = createServer((socket) => socket.once('data', () => socket.end(bytes)));
    one.servers.set('8.8.8.8:80', await serving(server));
    expect(await talk(one.port, ask('up.example')).all).toMatch(
      /^HTTP\/1\.1 502 [^]*upstream-unavailable/u,
    );
  });

  it('of nobody there, or of no such name, is a 502 of ours', async () => {
    const one = await rig({ allow: ['up.example', 'gone.example'] });
    expect(await talk(one.port, ask('up.example')).all).toMatch(/^HTTP\/1\.1 502 /u);
    expect(await talk(one.port, ask('gone.example')).all).toContain('was not found');
    expect(one.ended.map(({ code }) => code)).toEqual([null]);
  });

  it('in events comes as it is sent', async () => {
    const one = await rig({ allow: ['up.example'] });
    const waits: (() => void)[] = [];
    const server = createHttp((_req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.flushHeaders();
      waits.push(() => res.write('data: 1\n\n'));
      waits.push(() => res.end('data: 2\n\n'));
    });
    one.servers.set('8.8.8.8:80', await serving(server));
    const said = talk(one.port, ask('up.example'));
    await said.until('text/event-stream');
    waits[0]?.();
    expect(await said.until('data: 1')).not.toContain('data: 2');
    waits[1]?.();
    await said.until('data: 2');
  });

  it('in pieces that come together is answered in order', async () => {
    const one = await rig({ allow: ['up.example'] });
    const seen = await web(one);
    const two = (path: string, more = '') =>
      `GET http://up.example${path} HTTP/1.1\r\nHost: up.example\r\n${more}\r\n`;
    const answer = await talk(one.port, two('/1') + two('/2', 'Connection: close\r\n')).all;
    expect(answer).toMatch(/GET \/1 0 ok[^]*GET \/2 0 ok/u);
    expect(seen).toHaveLength(2);
  });

  it('and a tunnel at once on one connection is neither', async () => {
    const one = await rig({ allow: ['up.example'] });
    await web(one);
    const said = talk(one.port, `${get('up.example')}CONNECT up.example:443 HTTP/1.1\r\n\r\n`);
    await said.all;
    expect(one.dialled).not.toContain('8.8.8.8:443');
  });
});

describe('headers of a plain page', () => {
  const transforms = [{ host: 'up.example', set: { authorization: { secret: 'token' } } }];

  it('are not set, so that a secret does not go out unencrypted', async () => {
    const one = await rig({ allow: ['up.example'], transforms });
    const seen = await web(one);
    await talk(one.port, ask('up.example', 'Authorization: sentinel\r\n')).all;
    expect(seen[0]?.headers.authorization).toBe('sentinel');
  });

  it('are set where the rule says so, over what the client sent', async () => {
    const one = await rig({
      allow: ['up.example'],
      transforms: [{ ...transforms[0], host: 'up.example', plain: true }],
    });
    const seen = await web(one);
    await talk(one.port, ask('up.example', 'Authorization: sentinel\r\n')).all;
    expect(seen[0]?.headers.authorization).toBe('real-token');
  });

  it('for which a secret is missing: nothing goes out', async () => {
    const set = { authorization: { secret: 'none' } };
    const one = await rig({
      allow: ['up.example'],
      transforms: [{ host: 'up.example', set, plain: true }],
    });
    const seen = await web(one);
    expect(await talk(one.port, ask('up.example')).all).toMatch(
      /^HTTP\/1\.1 400 [^]*not to be had/u,
    );
    expect(seen).toEqual([]);
  });
});

describe('WebSocket', () => {
  it('goes both ways over a plain connection', async () => {
    const one = await rig({ allow: ['up.example'] });
    const server = createHttp();
    server.on('upgrade', (_req, socket) => {
      socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
      );
      socket.pipe(socket);
    });
    one.servers.set('8.8.8.8:80', await serving(server));
    const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: k\r\n';
    const said = talk(one.port, get('up.example', upgrade));
    await said.until('101 Switching Protocols');
    said.socket.write('ping');
    await said.until('ping');
    one.set({ allow: [] });
    await said.all;
    expect(one.ended).toMatchObject([{ code: 'egress-deny' }]);
  });

  it('that the server does not want is answered as it says', async () => {
    const one = await rig({ allow: ['up.example'] });
    await web(one);
    const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\n';
    expect(await talk(one.port, get('up.example', upgrade)).all).toContain('GET / 0 ok');
  });

  it('is the only other protocol: a page with a wish for another is answered as a page', async () => {
    const one = await rig({ allow: ['up.example'] });
    const seen = await web(one);
    const h2c = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMA\r\n';
    expect(await talk(one.port, get('up.example', h2c)).all).toContain('GET / 0 ok');
    expect(seen[0]?.headers.upgrade).toBeUndefined();
    expect(seen[0]?.headers['http2-settings']).toBeUndefined();
  });

  it('to a host that is not allowed is a 403', async () => {
    const one = await rig({});
    const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\n';
    expect(await talk(one.port, get('up.example', upgrade)).all).toMatch(/^HTTP\/1\.1 403 /u);
  });
});
