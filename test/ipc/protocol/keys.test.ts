import { describe, expect, it } from 'vitest';
import {
  digestOf,
  frameMac,
  helloMac,
  lengthPrefixed,
  sameMac,
  sessionKey,
  welcomeMac,
} from '../../../shared/ipc/macs.ts';

const nonces = { server: 'A'.repeat(43), client: 'B'.repeat(43) };
const swapped = { server: nonces.client, client: nonces.server };
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

describe('the macs and keys of the protocol', () => {
  it('are what another implementation computes from the same input', () => {
    expect(helloMac('tok', nonces, 1_700_000_000_000)).toBe(
      '4b94f6544ab1695432e9709b2a4592b479b640762e88c0198ce4d5d6f66b9837',
    );
    expect(welcomeMac('tok', nonces)).toBe(
      'c531671abdd457ba6381f19076b97b8d914f66f39cc9db0ad5dad11b782b1750',
    );
    const key = sessionKey('tok', nonces);
    expect(hex(key)).toBe('8d2121762561959fe0d16a05c360d0d453ed177a6445e9be1a1b9462e327cf8e');
    expect(
      frameMac(key, 'runner', { seq: 1, ts: 1_700_000_000_000, body: '{"type":"ping"}' }),
    ).toBe('272708385baf3381528f36cdf1731f33b1de4928572921bb451b00d9d8f0b3e6');
    expect(digestOf('{"type":"ping"}')).toBe(
      'cdeb977b07509618335ceaa57b4b76fe3ec9c72f50102f74dcfbab92228ec6fb',
    );
  });

  it('tell fields apart that would run together', () => {
    expect(lengthPrefixed(['ab', 'c'])).not.toEqual(lengthPrefixed(['a', 'bc']));
    expect(lengthPrefixed(['', 'a'])).not.toEqual(lengthPrefixed(['a', '']));
    expect(lengthPrefixed(['é'])).toEqual(Buffer.from([0, 0, 0, 2, 0xc3, 0xa9]));
  });

  it('depend on everything that they cover', () => {
    const key = sessionKey('tok', nonces);
    const frame = { seq: 1, ts: 2, body: '{}' };
    const macs = [
      helloMac('tok', nonces, 1),
      helloMac('tok', nonces, 2),
      helloMac('tok', swapped, 1),
      helloMac('tok2', nonces, 1),
      welcomeMac('tok', nonces),
      welcomeMac('tok', swapped),
      frameMac(key, 'runner', frame),
      frameMac(key, 'approver', frame),
      frameMac(key, 'runner', { ...frame, seq: 2 }),
      frameMac(key, 'runner', { ...frame, ts: 3 }),
      frameMac(key, 'runner', { ...frame, body: '{ }' }),
      frameMac(sessionKey('tok', swapped), 'runner', frame),
    ];
    expect(new Set(macs).size).toBe(macs.length);
  });

  it('are the same only when every character is', () => {
    const mac = welcomeMac('tok', nonces);
    expect(sameMac(mac, mac)).toBe(true);
    expect(sameMac(mac, mac.toUpperCase())).toBe(false);
    expect(sameMac(mac, mac.slice(1))).toBe(false);
    expect(sameMac('', mac)).toBe(false);
  });
});
