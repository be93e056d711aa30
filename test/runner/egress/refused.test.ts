import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { defaultConfig, defaultEgress, judgeAddress } from '../../../shared/engine/index.ts';
import type { Rule } from '../../../shared/engine/index.ts';
import { ask, get, rig, serving, talk, tunnelled, web } from './harness.ts';
import type { Rig } from './harness.ts';

describe('a target that is not allowed', () => {
  it('is a 403 with our code and how to ask, for a tunnel and for a page', async () => {
    const one = await rig({});
    const tunnel = await tunnelled(one.port, 'up.example:443');
    const page = await talk(one.port, ask('up.example')).all;
    for (const answer of [await tunnel.all, page]) {
      expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/u);
      expect(answer.toLowerCase()).toContain('x-interlock-refusal: egress-deny\r\n');
      expect(answer).toContain('interlock: egress-deny: No rule allows up.example:');
      expect(answer).toContain('have a person allow the host');
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

it('the page, the command line and the proxy say the same to every address', async () => {
  const egress = {
    ...defaultEgress,
    presets: [],
    unknown: 'deny' as const,
    allow: ['up.example', '*.up.example:8443', '8.8.4.4', '10.0.0.0/8'],
    deny: ['evil.up.example', '10.1.0.0/16'],
  };
  const rules: readonly Rule[] = [
    { id: 'a', kind: 'egress', effect: 'allow', pattern: 'other.example:*' },
    { id: 'd', kind: 'egress', effect: 'deny', pattern: 'a.up.example' },
  ];
  const one = await rig(egress);
  one.rule(rules);
  const hosts = ['up.example', 'a.up.example', 'b.up.example', 'evil.up.example', 'up.example.'];
  const addresses = ['8.8.4.4', '8.8.8.8', '10.0.0.1', '10.1.0.1', '127.0.0.1', '[::1]', '127.1'];
  const odd = ['localhost', 'other.example', '169.254.169.254', '*.up.example', 'up.example%00'];
  const verdicts = new Set<string>();
  for (const host of [...hosts, ...addresses, ...odd])
    for (const port of [22, 443, 8443]) {
      const address = `${host}:${String(port)}`;
      const { verdict } = judgeAddress(
        { ...defaultConfig, egress },
        { agent: 'claude', rules, address },
      );
      const { said } = await tunnelled(one.port, address);
      // Where it is allowed nobody is there, or its name leads to nothing.
      const isAllowed = said.startsWith('HTTP/1.1 502 ');
      expect(`${address} ${isAllowed ? 'allow' : 'deny'}`).toBe(`${address} ${verdict}`);
      verdicts.add(verdict);
    }
  expect([...verdicts].toSorted()).toEqual(['allow', 'deny']);
});

describe('A rule of the policy about a host', () => {
  const to = 'up.example:443';
  const rule = (effect: 'allow' | 'deny' | 'ask', pattern: string): Rule => ({
    id: `${effect}-${pattern}`,
    kind: 'egress',
    effect,
    pattern,
  });
  const withUpstream = async (...given: Parameters<typeof rig>) => {
    const one = await rig(...given);
    one.servers.set('8.8.8.8:443', await serving(createServer((socket) => socket.resume())));
    return one;
  };

  it('lets a tunnel through, stands in its row, and closes it when it goes', async () => {
    const one = await withUpstream({});
    one.rule([rule('allow', 'up.example:443')]);
    const open = await tunnelled(one.port, to);
    expect(open.said).toContain(' 200 ');
    expect(one.allowed).toMatchObject([{ by: 'policy', ruleIds: ['allow-up.example:443'] }]);
    one.rule([]);
    await open.all;
    expect(one.proxy.open()).toBe(0);
    expect(one.ended).toMatchObject([{ code: 'egress-deny' }]);
    expect((await tunnelled(one.port, to)).said).toContain(' 403 ');
  });

  it('that denies closes what the settings allow, and stands in the row of the no', async () => {
    const one = await withUpstream({ allow: ['up.example'] });
    const open = await tunnelled(one.port, to);
    one.rule([rule('deny', '*.example'), rule('allow', 'up.example')]);
    await open.all;
    expect((await tunnelled(one.port, to)).said).toContain(' 403 ');
    expect(one.refused).toMatchObject([{ code: 'egress-deny', ruleIds: ['deny-*.example'] }]);
  });

  it('that an answer has written ends the way again when it is taken back', async () => {
    const one: Rig = await withUpstream(
      { unknown: 'ask' },
      {
        ask: async () => {
          one.rule([rule('allow', 'up.example:443')]);
          return { code: 'allow-always' };
        },
      },
    );
    const open = await tunnelled(one.port, to);
    expect(open.said).toContain(' 200 ');
    expect(one.allowed).toMatchObject([{ by: 'person', code: 'allow-always' }]);
    one.rule([]);
    await open.all;
    expect(one.proxy.open()).toBe(0);
  });

  it('that asks has a person asked about what is allowed, and nobody there is a no', async () => {
    const one = await withUpstream({ allow: ['up.example'] });
    one.rule([rule('ask', 'up.example')]);
    expect((await tunnelled(one.port, to)).said).toContain(' 403 ');
    expect(one.dialled).toEqual([]);
  });

  it('opens no private address behind a name', async () => {
    const one = await rig({});
    one.rule([rule('allow', 'private.example'), rule('allow', 'metadata.example')]);
    for (const host of ['private.example', 'metadata.example'])
      expect((await tunnelled(one.port, `${host}:443`)).said).toContain(' 403 ');
    expect(one.dialled).toEqual([]);
  });

  it('that cannot be understood and denies closes everything', async () => {
    const one = await withUpstream({ allow: ['up.example'] });
    one.rule([{ ...rule('deny', 'other.example'), cwd: '/work' }]);
    const said = talk(one.port, `CONNECT ${to} HTTP/1.1\r\n\r\n`);
    expect(await said.all).toBe('');
    expect(one.dialled).toEqual([]);
  });
});
