import 'reflect-metadata';
import { generateKeyPairSync } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as x509 from '@peculiar/x509';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  addressesOf,
  followCertificate,
  readCertificate,
} from '../../../app/console/device-server.ts';
import { createPair, serial } from '../../../runner/egress/key-pair.ts';
import { fakeClock } from '../../support/fake-clock.ts';

const name = 'desk.home.example';
const uid = process.geteuid?.() ?? 0;
const clock = fakeClock();
const now = (): number => clock.now();

let folder: string;
const listen = () => ({
  host: name,
  certificate: join(folder, 'pair.pem'),
  key: join(folder, 'pair.pem'),
});

const pairFor = async (file: string, host = name): Promise<void> => {
  await createPair(join(folder, file), now(), {
    serialNumber: serial(),
    name: `CN=${host}`,
    days: 1,
    extensions: async () => [
      new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: host }]),
    ],
  });
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'interlock-certificate-'));
  await Promise.all([
    pairFor('pair.pem'),
    pairFor('next.pem'),
    pairFor('foreign.pem', 'a.example'),
  ]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('where devices connect', () => {
  it.each(['0.0.0.0', '::', '169.254.1.1', 'no-address'])('is never %s', async (address) => {
    await expect(addressesOf({ host: name, addresses: ['127.0.0.1', address] })).rejects.toThrow();
  });

  it('wants a certificate for its name, that holds now, with its key, which is private', () => {
    const fine = { uid, now: now() };
    expect(readCertificate(listen(), fine).cert).toContain('BEGIN CERTIFICATE');
    expect(() => readCertificate({ ...listen(), host: 'other.example' }, fine)).toThrow('not for');
    expect(() => readCertificate(listen(), { uid, now: 0 })).toThrow('does not hold now');
    const open = join(folder, 'open.pem');
    writeFileSync(open, '', { mode: 0o644 });
    expect(() => readCertificate({ ...listen(), key: open }, fine)).toThrow('others cannot read');
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    const wrong = join(folder, 'wrong.pem');
    writeFileSync(wrong, other.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
    expect(() => readCertificate({ ...listen(), key: wrong }, fine)).toThrow('belong together');
    expect(() => readCertificate({ ...listen(), certificate: '/nowhere' }, fine)).toThrow(
      'read as',
    );
  });

  it('takes a renewed certificate as it comes, and keeps the one it has where that is not fit', () => {
    const used: string[] = [];
    const lines: string[] = [];
    const first = readCertificate(listen(), { uid, now: now() });
    const log = (line: string): void => void lines.push(line);
    const use = ({ cert }: { readonly cert: string }): void => void used.push(cert);
    const stop = followCertificate(first, { listen: listen(), uid, clock, log, use });
    const pair = join(folder, 'pair.pem');
    clock.advance(5_000);
    expect(used).toEqual([]);
    copyFileSync(join(folder, 'next.pem'), pair);
    clock.advance(5_000);
    expect(used).toEqual([readFileSync(join(folder, 'next.pem'), 'utf8')]);
    for (const wrong of ['foreign.pem', 'open.pem']) {
      copyFileSync(join(folder, wrong), pair);
      for (let times = 0; times < 4; times += 1) clock.advance(5_000);
    }
    expect(used).toHaveLength(1);
    expect(lines).toHaveLength(2);
    expect(lines[0]).toContain('is not for desk.home.example');
    stop();
    copyFileSync(join(folder, 'next.pem'), pair);
    clock.advance(5_000);
    expect(used).toHaveLength(1);
  });
});
