import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  forwardedHeaders,
  hostProblem,
  returnedHeaders,
} from '../../../shared/engine/egress/headers.ts';
import type { Transform } from '../../../shared/engine/egress/policy.ts';

const secrets: Readonly<Record<string, string>> = { token: 'real-token', torn: 'a\r\nx: y' };

function forwarded(
  raw: readonly string[],
  transforms: readonly Transform[] = [],
  isUpgrade = false,
): Readonly<Record<string, readonly string[]>> | string {
  const result = forwardedHeaders(raw, {
    authority: 'a.example',
    transforms,
    secret: (name) => secrets[name] ?? null,
    isUpgrade,
  });
  if (!result.ok) return result.problem;
  const found: Record<string, string[]> = {};
  result.headers.forEach((name, index) => {
    if (index % 2 === 0) (found[name.toLowerCase()] ??= []).push(result.headers[index + 1] ?? '');
  });
  return found;
}

describe('the headers of a request', () => {
  it('keep their order, case and number, without what is of one connection', () => {
    const raw = ['Host', 'evil', 'X-A', '1', 'x-a', '2', 'Proxy-Connection', 'keep-alive'];
    const more = ['Connection', 'close, X-Hop', 'X-Hop', 'gone', 'Keep-Alive', 'timeout=5'];
    const last = ['Proxy-Authorization', 'Basic x', 'Accept', '*/*'];
    const result = forwardedHeaders([...raw, ...more, ...last], {
      authority: 'a.example',
      transforms: [],
      secret: () => null,
      isUpgrade: false,
    });
    expect(result).toEqual({
      ok: true,
      headers: [
        ['Host', 'a.example', 'X-A', '1', 'x-a', '2', 'Accept', '*/*'],
        ['Connection', 'keep-alive'],
      ].flat(),
    });
  });

  it('are set over what the client sent, and later rules win', () => {
    const client = ['Authorization', 'Bearer sentinel', 'AUTHORIZATION', 'again', 'X-Keep', 'k'];
    const transforms = [
      { set: { authorization: 'first' } },
      { set: { Authorization: { secret: 'token', prefix: 'Bearer ' } } },
    ];
    expect(forwarded(client, transforms)).toMatchObject({
      authorization: ['Bearer real-token'],
      'x-keep': ['k'],
    });
  });

  it('are removed, and can be set again by a later rule', () => {
    const client = ['X-A', '1', 'Cookie', 'c'];
    expect(forwarded(client, [{ remove: ['cookie', 'x-a'] }])).not.toHaveProperty('cookie');
    expect(forwarded(client, [{ remove: ['x-a'] }, { set: { 'X-A': '2' } }])).toMatchObject({
      'x-a': ['2'],
    });
    expect(forwarded(client, [{ set: { 'X-A': '2' } }, { remove: ['x-a'] }])).not.toHaveProperty(
      'x-a',
    );
  });

  it('carry a secret as the password of a user, as the platform encodes it', () => {
    const basic = { secret: 'token', basicUser: 'x-access-token' };
    const expected = Buffer.from('x-access-token:real-token').toString('base64');
    expect(forwarded([], [{ set: { Authorization: basic } }])).toMatchObject({
      authorization: [`Basic ${expected}`],
    });
  });

  it.each(['missing', 'torn'])('do not go out where the secret is %s', (secret) => {
    expect(forwarded([], [{ set: { Authorization: { secret } } }])).toContain('not to be had');
  });

  it('cannot be taken away by the client after they were set', () => {
    const client = ['Connection', 'authorization', 'Authorization', 'sentinel'];
    const set = { set: { Authorization: { secret: 'token' } } };
    expect(forwarded(client, [set])).toMatchObject({ authorization: ['real-token'] });
  });

  it.each([
    ['two lengths', ['Content-Length', '1', 'Content-Length', '1']],
    ['a list of lengths', ['Content-Length', '1, 1']],
    ['a length with a sign', ['Content-Length', '+1']],
    ['a length in hex', ['Content-Length', '0x1']],
    ['length and coding', ['Content-Length', '1', 'Transfer-Encoding', 'chunked']],
    ['two codings', ['Transfer-Encoding', 'chunked', 'Transfer-Encoding', 'chunked']],
    ['another coding', ['Transfer-Encoding', 'gzip, chunked']],
    ['a coding in disguise', ['Transfer-Encoding', 'xchunked']],
    ['a coding with a blank', ['Transfer-Encoding', '\x0bchunked']],
    ['a length taken away', ['Connection', 'content-length', 'Content-Length', '1']],
    ['a coding taken away', ['Connection', 'Transfer-Encoding', 'Transfer-Encoding', 'chunked']],
    ['a host taken away', ['Connection', 'host']],
    ['the same by the other name', ['Proxy-Connection', 'x, content-length']],
    ['a name with a blank', ['Content-Length ', '1']],
    ['a name with a colon', ['X:Y', '1']],
    ['an empty name', ['', '1']],
    ['a line in a value', ['X', 'a\r\nHost: evil']],
    ['a zero in a value', ['X', 'a\0b']],
  ])('are refused with %s', (_, raw) => {
    expect(typeof forwarded(raw)).toBe('string');
  });

  it('keep their framing and ask for trailers', () => {
    expect(forwarded(['Transfer-Encoding', 'chunked', 'TE', 'trailers, gzip'])).toMatchObject({
      'transfer-encoding': ['chunked'],
      te: ['trailers'],
    });
    expect(forwarded(['Content-Length', '5'])).toMatchObject({ 'content-length': ['5'] });
  });

  it('pass an upgrade on only where it is one', () => {
    const raw = ['Connection', 'Upgrade', 'Upgrade', 'websocket', 'Sec-WebSocket-Key', 'k'];
    expect(forwarded(raw, [], true)).toMatchObject({
      connection: ['Upgrade'],
      upgrade: ['websocket'],
      'sec-websocket-key': ['k'],
    });
    expect(forwarded(raw)).not.toHaveProperty('upgrade');
  });

  it('are lines and nothing else, whatever came', () => {
    const header = fc.tuple(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }));
    fc.assert(
      fc.property(fc.array(header), (pairs) => {
        const result = forwardedHeaders(pairs.flat(), {
          authority: 'a.example',
          transforms: [],
          secret: () => null,
          isUpgrade: false,
        });
        if (!result.ok) return;
        expect(result.headers.join('')).not.toMatch(/[\r\n\0]/u);
        const names = result.headers.filter((_, index) => index % 2 === 0);
        expect(names.filter((name) => /^host$/iu.test(name))).toHaveLength(1);
      }),
    );
  });
});

describe('the Host of a request', () => {
  it.each([
    [['Host', 'a.example'], true],
    [['host', 'A.EXAMPLE:443'], true],
    [['Host', 'a.example.'], true],
    [['Host', 'b.example'], false],
    [['Host', 'a.example:444'], false],
    [['Host', 'a.example@b.example'], false],
    [['Host', 'a.example', 'Host', 'a.example'], false],
    [['Host', ''], false],
    [['Host', 'a.example, b.example'], false],
    [[], false],
  ])('%j fits: %s', (raw, fits) => {
    expect(hostProblem(raw, 'a.example:443', 443) === null).toBe(fits);
  });
});

it('the headers of an answer come back without those of one connection', () => {
  const raw = ['Connection', 'x-hop', 'X-Hop', '1', 'Set-Cookie', 'a', 'Set-Cookie', 'b'];
  const more = ['Content-Length', '3', 'Proxy-Authenticate', 'Basic', 'Trailer', 'x'];
  const kept = ['Set-Cookie', 'a', 'Set-Cookie', 'b', 'Content-Length', '3', 'Trailer', 'x'];
  expect(returnedHeaders([...raw, ...more])).toEqual(kept);
});
