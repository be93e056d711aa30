import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  inviteDevice,
  isSignedByDevice,
  pairingTtlMs,
  readDevices,
  readPairing,
  revokeDevice,
  takeDevice,
} from '../../../shared/operations/index.ts';

let directory: string;
let at = 1_700_000_000_000;
const now = (): number => at;
const uid = process.geteuid?.() ?? 0;
const file = () => ({
  paths: {
    devices: join(directory, 'devices.json'),
    pairing: join(directory, 'pairing.json'),
    lockout: join(directory, 'state', 'lockout.json'),
  },
  by: 'test',
  uid,
  now,
  random: (bytes: number) => randomBytes(bytes),
});
const about = { id: 'i'.repeat(22), key: 'k'.repeat(87), passkey: 'p' };
const phone = { name: 'phone', rights: 'answer' } as const;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'interlock-devices-'));
  at = 1_700_000_000_000;
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe('a device', () => {
  it('is taken in by its code once, with the name and the rights that were offered', async () => {
    const code = inviteDevice(phone, file());
    expect(readFileSync(file().paths.pairing, 'utf8')).not.toContain(code);
    expect(statSync(file().paths.pairing).mode & 0o777).toBe(0o600);
    await takeDevice(code, about, file());
    expect(readDevices(file())).toEqual([{ ...about, ...phone, madeAt: at, lastSeenAt: at }]);
    expect(statSync(file().paths.devices).mode & 0o777).toBe(0o600);
    await expect(takeDevice(code, about, file())).rejects.toMatchObject({
      refusal: { code: 'hmac-fail' },
    });
    expect(readDevices(file())).toHaveLength(1);
  });

  it.each([
    ['too old', pairingTtlMs + 1],
    ['from after now', -1],
  ])('is not taken in by a code that is %s', (_what, later) => {
    const code = inviteDevice(phone, file());
    at += later;
    expect(() => readPairing(code, file())).toThrow('too old');
  });

  it('is not taken in by another code, nor by one that a newer invitation replaced', () => {
    const old = inviteDevice(phone, file());
    inviteDevice({ ...phone, name: 'tablet' }, file());
    expect(() => readPairing(old, file())).toThrow('too old');
    expect(() => readPairing('x'.repeat(43), file())).toThrow('too old');
  });

  it('does not take the name of another, and its code stays good', async () => {
    await takeDevice(inviteDevice(phone, file()), about, file());
    const code = inviteDevice(phone, file());
    await expect(takeDevice(code, about, file())).rejects.toThrow('already');
    expect(readPairing(code, file())).toMatchObject(phone);
  });

  it('is gone once it is revoked, and none of that name is told', async () => {
    await takeDevice(inviteDevice(phone, file()), about, file());
    await expect(revokeDevice(file(), 'other')).rejects.toThrow('no device');
    await revokeDevice(file(), 'phone');
    expect(readDevices(file())).toEqual([]);
  });

  it.each(['{', '{"version":1,"devices":[{}]}', '{"version":1,"devices":[],"more":1}'])(
    'counts for nothing where the list is doubtful: %s',
    (text) => {
      writeFileSync(file().paths.devices, text, { mode: 0o600 });
      expect(() => readDevices(file())).toThrow('none of them counts');
    },
  );
});

it('what the key of a device signed is told from everything else', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const point = Buffer.concat([
    Buffer.from([4]),
    Buffer.from(x, 'base64url'),
    Buffer.from(y, 'base64url'),
  ]);
  const key = point.toString('base64url');
  const signature = sign('sha256', Buffer.from('text'), {
    key: privateKey,
    dsaEncoding: 'ieee-p1363',
  }).toString('base64url');
  expect(isSignedByDevice(key, 'text', signature)).toBe(true);
  expect(isSignedByDevice(key, 'other', signature)).toBe(false);
  expect(isSignedByDevice(key, 'text', 'A'.repeat(86))).toBe(false);
  expect(isSignedByDevice(Buffer.alloc(65, 4).toString('base64url'), 'text', signature)).toBe(
    false,
  );
  expect(isSignedByDevice('', 'text', signature)).toBe(false);
});
