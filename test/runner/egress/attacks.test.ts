import { gzipSync } from 'node:zlib';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { spellingsOf } from '../../../shared/engine/index.ts';
import { systemClock } from '../../../shared/home/index.ts';
import { createReflections } from '../../../runner/egress/reflect.ts';
import { ask, names, talk, tunnelled } from './harness.ts';
import { get, shake, upstream } from './intercepted.ts';

const secret = 'real-token-8f3b1c77d2';
const withSecret = { secret: async () => Promise.resolve(secret) };

/** The proxy before a server that answers as the test says. */
async function answering(
  answer: (req: IncomingMessage, res: ServerResponse) => void,
  ports: Parameters<typeof upstream>[1] = {},
) {
  const one = await upstream({}, { ...withSecret, ...ports });
  one.server.removeAllListeners('request');
  one.server.on('request', (req: IncomingMessage, res: ServerResponse) => {
    one.seen.push(req);
    answer(req, res);
  });
  return one;
}

const sent = ({ headers }: IncomingMessage): string => String(headers.authorization);

describe('an answer that sends back what the request was given', () => {
  const ways: readonly (readonly [string, (req: IncomingMessage, res: ServerResponse) => void])[] =
    [
      ['a header', (req, res) => res.setHeader('x-echo', sent(req)).end()],
      ['the name of a header', (req, res) => res.setHeader(sent(req).slice(7), '1').end()],
      ['a cookie', (req, res) => res.setHeader('set-cookie', [`t=${sent(req)}`]).end()],
      [
        'a redirect',
        (req, res) => res.writeHead(302, { location: `http://e.example/?${sent(req)}` }).end(),
      ],
      ['the words of its status', (req, res) => res.writeHead(400, sent(req)).end()],
      ['an error page', (req, res) => res.writeHead(500).end(`bad header ${sent(req)}`)],
      ['JSON', (req, res) => res.end(JSON.stringify(req.headers))],
      ['base64', (req, res) => res.end(Buffer.from(`x ${sent(req)}`).toString('base64'))],
      ['hexadecimal digits', (req, res) => res.end(Buffer.from(sent(req)).toString('hex'))],
      [
        'pieces',
        (req, res) => {
          for (const letter of sent(req)) res.write(letter);
          res.end();
        },
      ],
      [
        'trailers',
        (req, res) => {
          res.writeHead(200, { trailer: 'x-end' });
          res.write('body');
          res.addTrailers({ 'x-end': sent(req) });
          res.end();
        },
      ],
      ['an answer that breaks off', (req, res) => res.write(sent(req), () => res.destroy())],
      [
        'what is packed where the client may take it',
        (req, res) => {
          const isPacked = /gzip/u.test(String(req.headers['accept-encoding']));
          if (isPacked) res.setHeader('content-encoding', 'gzip');
          res.end(isPacked ? gzipSync(sent(req)) : sent(req));
        },
      ],
    ];
  it.each(ways)('does not tell it in %s', async (_, answer) => {
    const one = await answering(answer);
    const { said, ended } = await shake(one);
    said(get('Accept-Encoding: gzip\r\nConnection: close\r\n'));
    const told = await ended;
    expect(one.seen[0]?.headers.authorization).toBe(`Bearer ${secret}`);
    for (const spelling of spellingsOf(secret)) expect(told).not.toContain(spelling);
    expect(told).toMatch(/^HTTP\/1\.1 \d\d\d /u);
    expect(told).toContain('*');
  });

  it('has the length that it had, and all else to the byte', async () => {
    const one = await answering((req, res) => {
      const body = `before ${sent(req)} behind`;
      res.setHeader('content-length', body.length).end(body);
    });
    const { said, until } = await shake(one);
    said(get());
    const stars = '*'.repeat(secret.length);
    expect(await until('behind')).toContain(`\r\n\r\nbefore Bearer ${stars} behind`);
  });

  it('is looked through to its end', () => {
    const body = createReflections(systemClock)([secret])?.body(() => {});
    if (body === undefined) throw new Error('nothing to hide');
    const begin = Buffer.alloc(3 * 1024 * 1024, 'x');
    const parts = [begin, secret.slice(0, 8), `${secret.slice(8)}later`];
    const chunks = parts.map((part) => body.push(Buffer.from(part)));
    const told = Buffer.concat([...chunks, body.end()])
      .subarray(begin.length)
      .toString();
    expect(told).toBe(`${'*'.repeat(secret.length)}later`);
  });

  const clocked = () => {
    const timers = new Set<() => void>();
    const after = (_ms: number, due: () => void) => {
      timers.add(due);
      return () => void timers.delete(due);
    };
    let told = '';
    const tell = (bytes: Uint8Array): void => void (told += Buffer.from(bytes).toString());
    const mask = createReflections({ after })([secret])?.body(tell);
    if (mask === undefined) throw new Error('nothing to hide');
    const body = {
      write: (text: string) => tell(mask.push(Buffer.from(text))),
      end: (text = '') => {
        tell(mask.push(Buffer.from(text)));
        tell(mask.end());
      },
    };
    const pause = (): void => {
      for (const due of timers) due();
    };
    return { body, pause, told: () => told };
  };

  it('is not kept waiting for the last letters of an event, and tells no more for that', () => {
    const { body, pause, told } = clocked();
    body.write(`event ${secret.slice(0, 2)}`);
    expect(told()).toBe('event ');
    pause();
    expect(told()).toBe(`event ${secret.slice(0, 2)}`);
    body.write(secret.slice(2, 9));
    pause();
    expect(told()).toBe(`event ${secret.slice(0, 2)}`);
    body.end(`${secret.slice(9)}.`);
    expect(told()).toBe(`event ${secret.slice(0, 2)}${'*'.repeat(secret.length - 2)}.`);
  });

  it('has each letter once, however often it pauses', () => {
    const { body, pause, told } = clocked();
    const text = `a${secret.slice(0, 3)}b${secret.slice(0, 1)}${secret.slice(0, 6)}c${secret.slice(0, 4)}`;
    for (const letter of text) {
      body.write(letter);
      pause();
      pause();
    }
    body.end();
    expect(told()).toBe(text);
  });

  it.each([
    ['compressed', { 'content-encoding': 'gzip' }],
    ['compressed twice', { 'content-encoding': 'identity, br' }],
    ['compressed for the transfer', { 'transfer-encoding': 'gzip, chunked' }],
    ['a part', { 'content-range': 'bytes 0-3/200' }],
  ])('is refused where it is %s all the same', async (_, headers) => {
    const one = await answering((req, res) => {
      res.writeHead('content-range' in headers ? 206 : 200, headers);
      res.end(gzipSync(sent(req)));
    });
    const { said, ended } = await shake(one);
    said(get('Connection: close\r\n'));
    expect(await ended).toMatch(/^HTTP\/1\.1 502 [^]*upstream-unavailable/u);
  });

  it('may say that it would be compressed where it has no body', async () => {
    const one = await answering((_req, res) =>
      res.writeHead(304, { 'content-encoding': 'gzip' }).end(),
    );
    const { said, ended } = await shake(one);
    said(get('Connection: close\r\n'));
    expect(await ended).toMatch(/^HTTP\/1\.1 304 /u);
  });

  it('is asked for as a whole', async () => {
    const one = await answering((_req, res) => res.end('whole'));
    const { said, ended } = await shake(one);
    said(get('Range: bytes=0-3\r\nIf-Range: "x"\r\nConnection: close\r\n'));
    expect(await ended).toContain('whole');
    expect(one.seen[0]?.headers).not.toHaveProperty('range');
    expect(one.seen[0]?.headers).not.toHaveProperty('if-range');
  });

  const accepted =
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n';
  const wanted =
    'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: k\r\nSec-WebSocket-Extensions: permessage-deflate\r\n';

  it('does not tell it over a WebSocket, with what comes along with the head and what comes later', async () => {
    const one = await upstream({}, withSecret);
    one.server.on('upgrade', (req, socket) => {
      one.seen.push(req);
      socket.write(`${accepted}\r\nfirst ${sent(req)} `);
      socket.on('data', () => socket.end(`then ${sent(req)} end`));
    });
    const { said, until, ended } = await shake(one);
    said(get(wanted));
    await until('first ');
    said('more');
    const told = await ended;
    const stars = `Bearer ${'*'.repeat(secret.length)}`;
    expect(told).toContain(`\r\n\r\nfirst ${stars} then ${stars} end`);
    expect(one.seen[0]?.headers).not.toHaveProperty('sec-websocket-extensions');
  });

  it('is refused over a WebSocket that is compressed all the same', async () => {
    const one = await upstream({}, withSecret);
    one.server.on('upgrade', (_req, socket) => {
      socket.write(`${accepted}Sec-WebSocket-Extensions: permessage-deflate\r\n\r\npacked`);
    });
    const { said, ended } = await shake(one);
    said(get(wanted));
    const told = await ended;
    expect(told).toMatch(/^HTTP\/1\.1 502 /u);
    expect(told).not.toContain('packed');
  });

  it('of a host without a secret is not touched', () => {
    expect(createReflections(systemClock)([])).toBeNull();
  });
});

describe('what comes slowly in a tunnel that is looked into', () => {
  it('is not waited for as a head, and its connection is closed', async () => {
    const one = await upstream({}, { headersMs: 150 });
    const { said, ended } = await shake(one);
    said('GET / HTTP/1.1\r\nHost: up.exam');
    expect(await ended).toMatch(/^HTTP\/1\.1 4\d\d /u);
    expect(one.seen).toEqual([]);
    await expect.poll(() => one.proxy.open()).toBe(0);
  });

  it('as a body that stops coming is refused, and what it was sent to is let go of', async () => {
    let isGone = false;
    const one = await answering(
      (req) => {
        req.on('error', () => {});
        req.on('close', () => (isGone = true));
      },
      { bodyMs: 100 },
    );
    const { said, ended } = await shake(one);
    said('POST / HTTP/1.1\r\nHost: up.example\r\nContent-Length: 10\r\n\r\nabc');
    expect(await ended).toMatch(/^HTTP\/1\.1 400 [^]*stopped coming/u);
    await expect.poll(() => isGone).toBe(true);
    await expect.poll(() => one.proxy.open()).toBe(0);
  });

  it('as a body goes on as it comes, and ends there when the client leaves', async () => {
    const got: string[] = [];
    let isGone = false;
    const one = await answering((req) => {
      req.on('data', (chunk: Buffer) => got.push(chunk.toString()));
      req.on('error', () => {});
      req.on('close', () => (isGone = true));
    });
    const { said, socket } = await shake(one);
    said('POST / HTTP/1.1\r\nHost: up.example\r\nContent-Length: 10\r\n\r\nabc');
    await expect.poll(() => got.join('')).toBe('abc');
    said('de');
    await expect.poll(() => got.join('')).toBe('abcde');
    socket.destroy();
    await expect.poll(() => isGone).toBe(true);
    await expect.poll(() => one.proxy.open()).toBe(0);
  });
});

describe('a redirect to where clouds hand out credentials, in a tunnel that is looked into', () => {
  it.each([
    '169.254.169.254',
    '[::ffff:169.254.169.254]',
    '[::ffff:a9fe:a9fe]',
    '[64:ff9b::a9fe:a9fe]',
    '[2002:a9fe:a9fe::]',
    '[fd00:ec2::254]',
    '[fe80::a9fe:a9fe]',
    '100.100.100.200',
    '192.0.0.192',
    'metadata.example',
  ])('%s: is passed on as it is, not followed, and the client gets nowhere by it', async (host) => {
    const location = `http://${host}/latest/meta-data/`;
    const one = await answering((_req, res) => res.writeHead(302, { location }).end());
    one.set({ allow: ['*', 'up.example'] });
    const { said, until } = await shake(one);
    said(get());
    expect(await until('\r\n\r\n')).toContain(location);
    expect(await talk(one.port, ask(host)).all).toMatch(/^HTTP\/1\.1 403 /u);
    expect(await (await tunnelled(one.port, `${host}:443`)).all).toMatch(/^HTTP\/1\.1 403 /u);
    expect(one.dialled).toEqual(['8.8.8.8:443']);
  });

  it('a name that leads elsewhere by then is dialled no more, and the tunnel stays where it was', async () => {
    let at: readonly string[] = names['up.example'] ?? [];
    const one = await upstream({}, { ...withSecret, resolve: async () => Promise.resolve(at) });
    const { said, until } = await shake(one);
    said(get('', '/1'));
    await until('GET /1');
    at = ['169.254.169.254'];
    // The next connection there is dialled by what was looked at, not by the name.
    one.server.closeAllConnections();
    said(get('', '/2'));
    await until('GET /2');
    expect(await (await tunnelled(one.port, 'up.example:443')).all).toMatch(/^HTTP\/1\.1 403 /u);
    expect(new Set(one.dialled)).toEqual(new Set(['8.8.8.8:443']));
  });
});

describe('two requests that could be read as one, in a tunnel that is looked into', () => {
  const post = (more: string): string => `POST / HTTP/1.1\r\nHost: up.example\r\n${more}`;
  const inner = 'GET /smuggled HTTP/1.1\r\nHost: up.example\r\n\r\n';
  it.each([
    ['chunks and a length', `Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`],
    ['a coding in disguise', `Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`],
    ['two codings', `Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n`],
    ['a size that is none', `Transfer-Encoding: chunked\r\n\r\n0x1\r\na\r\n0\r\n\r\n`],
    ['a size with a sign', `Transfer-Encoding: chunked\r\n\r\n+1\r\na\r\n0\r\n\r\n`],
    ['a bare line feed', `X-A: b\n\r\nContent-Length: 0\r\n\r\n`],
    ['a bare return', `X-A: b\rContent-Length: 5\r\n\r\n`],
    ['a length that is taken away', `Connection: content-length\r\nContent-Length: 0\r\n\r\n`],
    ['a blank before the colon', `Content-Length : 0\r\n\r\n`],
    ['the begin of HTTP/2', null],
  ])('are none with %s', async (_, more) => {
    const one = await upstream({}, withSecret);
    const { said, ended } = await shake(one);
    said(more === null ? 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' : post(more) + inner);
    expect(await ended).toMatch(/^HTTP\/1\.1 4\d\d /u);
    expect(one.seen.filter(({ url }) => url === '/smuggled')).toEqual([]);
  });

  it('HTTP/2 is not spoken: who offers nothing else has no tunnel', async () => {
    const one = await upstream({}, withSecret);
    await expect(shake(one, { alpn: ['h2'] })).rejects.toThrow(/alpn|protocol|reset|disconnect/iu);
    expect(one.shaken()).toBe(0);
  });

  it('a name in the handshake that is not the tunnel’s ends it, whatever Host says', async () => {
    const one = await upstream({}, withSecret);
    await expect(shake(one, { servername: 'other.example' })).rejects.toThrow();
    await expect.poll(() => one.proxy.open()).toBe(0);
    expect(one.shaken()).toBe(0);
  });
});

describe('the encryption to a server', () => {
  it('goes on from an earlier connection, and proves its name anew where the trust has changed', async () => {
    let roots: readonly string[] = [];
    const one = await upstream({}, { ...withSecret, roots: () => roots });
    roots = [one.authority.certificate];
    const visit = async (path: string): Promise<void> => {
      const { said, until, socket } = await shake(one);
      said(get('', path));
      await until(`GET ${path}`);
      socket.destroy();
    };
    await visit('/1');
    await visit('/2');
    expect([one.shaken(), one.resumed()]).toEqual([2, 1]);
    roots = [one.authority.certificate];
    await visit('/3');
    expect([one.shaken(), one.resumed()]).toEqual([3, 1]);
    roots = [];
    await expect(visit('/4')).rejects.toThrow('certificate');
  });
});
