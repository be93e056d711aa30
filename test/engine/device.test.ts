import { describe, expect, it } from 'vitest';
import { challengeOfDevice, isPeerOf, listenProblem } from '../../shared/engine/index.ts';

describe('the page for devices', () => {
  it.each(['192.168.1.7', '10.0.0.1', '100.101.102.103', 'fd7a:115c:a1e0::1', '127.0.0.1', '::1'])(
    'may be at %s',
    (address) => expect(listenProblem(address, false)).toBeNull(),
  );

  it.each(['0.0.0.0', '::', '::ffff:0.0.0.0', '0:0:0:0:0:0:0:0'])(
    'is never at %s, which means all addresses',
    (address) => {
      expect(listenProblem(address, false)).toContain('every address');
      expect(listenProblem(address, true)).toContain('every address');
    },
  );

  it.each(['8.8.8.8', '2a00:1450:4001::1', '::ffff:8.8.8.8'])(
    'is at the public address %s only where that was named',
    (address) => {
      expect(listenProblem(address, false)).toContain('everywhere');
      expect(listenProblem(address, true)).toBeNull();
    },
  );

  it.each(['169.254.1.1', 'fe80::1', '224.0.0.1', 'ff02::1', '169.254.169.254', 'host', ''])(
    'is never at %s',
    (address) => expect(listenProblem(address, true)).not.toBeNull(),
  );
});

describe('who connects', () => {
  it.each([
    ['192.168.1.9', '192.168.1.7', '192.168.1.7/24', true],
    ['::ffff:192.168.1.9', '192.168.1.7', '192.168.1.7/24', true],
    ['192.168.2.9', '192.168.1.7', '192.168.1.7/24', false],
    ['10.0.0.9', '192.168.1.7', '192.168.1.7/24', false],
    ['8.8.8.8', '192.168.1.7', '192.168.1.7/24', false],
    ['192.168.1.9', '192.168.1.7', null, false],
    ['192.168.1.9', '192.168.1.7', '192.168.1.7/0', false],
    ['100.64.0.9', '100.100.1.1', '100.100.1.1/32', true],
    ['fd7a:115c:a1e0::9', 'fd7a:115c:a1e0::1', 'fd7a:115c:a1e0::1/128', true],
    ['192.168.1.9', '100.100.1.1', '100.100.1.1/32', false],
    ['127.0.0.1', '127.0.0.1', '127.0.0.1/8', true],
    ['127.9.9.9', '127.0.1.1', null, true],
    ['192.168.1.9', '127.0.0.1', '127.0.0.1/8', false],
    ['8.8.8.8', '1.1.1.1', '1.1.1.1/24', true],
    ['', '192.168.1.7', '192.168.1.7/24', false],
  ])('from %s to %s (%s) is of the same network: %s', (peer, own, cidr, same) => {
    expect(isPeerOf(peer, own, cidr)).toBe(same);
  });
});

it('a key signs for one thing, one nonce and one page', () => {
  const where = { nonce: 'n', origin: 'https://a.example' };
  const all = [
    challengeOfDevice(['open', 'x'], where),
    challengeOfDevice(['open', 'y'], where),
    challengeOfDevice(['pair', 'x'], where),
    challengeOfDevice(['open', 'x'], { ...where, nonce: 'm' }),
    challengeOfDevice(['open', 'x'], { ...where, origin: 'https://b.example' }),
  ];
  expect(new Set(all).size).toBe(all.length);
});
