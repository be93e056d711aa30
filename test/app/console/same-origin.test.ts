import { describe, expect, it } from 'vitest';
import { exactHost, isForUs, isFromOurPage, tunnelHost } from '../../../app/console/same-origin.ts';

const ours = 'localhost:4000';
const rule = exactHost(4000);

describe('a request', () => {
  it.each([
    [ours, true],
    ['localhost:4001', false],
    ['localhost', false],
    ['127.0.0.1:4000', false],
    ['evil.example:4000', false],
    ['localhost:4000.evil.example', false],
    [undefined, false],
  ])('on loopback with host %s is for us: %s', (host, forUs) => {
    expect(isForUs(host === undefined ? {} : { host }, rule)).toBe(forUs);
  });

  it.each([
    ['localhost:8077', true],
    ['127.0.0.1:9', true],
    ['[::1]:9000', true],
    ['localhost', true],
    ['localhost.evil.example', false],
    ['evil.example:8077', false],
    ['localhost:8077@evil.example', false],
  ])('through a tunnel with host %s is for us: %s', (host, forUs) => {
    expect(isForUs({ host }, tunnelHost)).toBe(forUs);
  });

  it.each([
    ['our origin', { origin: `http://${ours}` }, true],
    [
      'our origin, as the browser says',
      { origin: `http://${ours}`, 'sec-fetch-site': 'same-origin' },
      true,
    ],
    ['no origin', {}, false],
    ['an opaque origin', { origin: 'null' }, false],
    ['another port', { origin: 'http://localhost:4001' }, false],
    ['another scheme', { origin: `https://${ours}` }, false],
    ['a longer name', { origin: `http://${ours}.evil.example` }, false],
    [
      'a browser that says "same site"',
      { origin: `http://${ours}`, 'sec-fetch-site': 'same-site' },
      false,
    ],
    [
      'a name that points to loopback',
      { host: 'evil.example:4000', origin: 'http://evil.example:4000' },
      false,
    ],
  ])('with %s comes from our page: %s', (_name, headers, fromUs) => {
    expect(isFromOurPage({ host: ours, ...headers }, rule)).toBe(fromUs);
  });
});
