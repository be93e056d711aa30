import { createServer as createHttp } from 'node:http';
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { ask, get, rig, serving, talk, web } from './harness.ts';

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

  it('in HTTP/1.0 is answered without chunks, and its connection ends', async () => {
    const one = await rig({ allow: ['up.example'] });
    const server = createHttp((_req, res) => {
      res.write('in ');
      res.end('parts');
    });
    one.servers.set('8.8.8.8:80', await serving(server));
    const bytes = 'GET http://up.example/ HTTP/1.0\r\nHost: up.example\r\n\r\n';
    const answer = await talk(one.port, bytes).all;
    expect(answer).toMatch(/\r\nConnection: close\r\n\r\nin parts$/u);
    expect(answer).not.toMatch(/transfer-encoding/iu);
  });

  it('whose end is the end of its connection comes whole, and the next one over another', async () => {
    const one = await rig({ allow: ['up.example'] });
    const server = createServer((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\n\r\nuntil the end'));
    });
    one.servers.set('8.8.8.8:80', await serving(server));
    const said = talk(one.port, get('up.example'));
    await said.until(/until the end\r\n0\r\n\r\n$/u);
    said.socket.write(ask('up.example'));
    expect((await said.all).match(/until the end/gu)).toHaveLength(2);
    expect(one.dialled).toHaveLength(2);
  });

  it('gets nothing of what its server has said unasked behind an answer before', async () => {
    const one = await rig({ allow: ['up.example'] });
    const server = createServer((socket) => {
      socket.on('data', () => {
        const answer = (text: string): string =>
          `HTTP/1.1 200 OK\r\nContent-Length: ${String(text.length)}\r\n\r\n${text}`;
        socket.write(answer('mine') + answer('forged'));
      });
    });
    one.servers.set('8.8.8.8:80', await serving(server));
    const said = talk(one.port, get('up.example'));
    await said.until('mine');
    said.socket.write(ask('up.example'));
    expect(await said.all).not.toContain('forged');
    expect(one.dialled).toHaveLength(2);
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

  it('whose server ends its lines in its own way is not waited for', async () => {
    const one = await rig({ allow: ['up.example'] });
    const server = createServer((socket) => {
      socket.once('data', () => socket.write('HTTP/1.1 200 OK\nContent-Length: 2\n\nok'));
    });
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
