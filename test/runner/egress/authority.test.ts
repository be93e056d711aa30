import { X509Certificate } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  chmodSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:net';
import { TLSSocket, checkServerIdentity, connect } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownUid } from '../../../shared/home/index.ts';
import { openAuthority } from '../../../runner/egress/authority.ts';
import {
  bundleOf,
  hostRoots,
  proxyVariables,
  trustVariables,
} from '../../../runner/egress/trust.ts';

let folder: string;
let now: number;
const open = async () =>
  openAuthority({
    path: join(folder, 'egress.pem'),
    uid: ownUid(),
    now: () => now,
    mostLeaves: 3,
  });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'interlock-egress-'));
  now = Date.now();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the authority', () => {
  it('is self-signed, may sign certificates and nothing else, and is valid now', async () => {
    const { certificate } = await open();
    const read = new X509Certificate(certificate);
    expect(read.ca).toBe(true);
    expect(read.subject).toBe(read.issuer);
    expect(read.verify(read.publicKey)).toBe(true);
    expect(read.checkIssued(read)).toBe(true);
    expect(read.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
    expect(Date.parse(read.validFrom)).toBeLessThan(now);
    expect(Date.parse(read.validTo)).toBeGreaterThan(now + 300 * 86_400_000);
    const text = read.toString();
    expect(text).toContain('BEGIN CERTIFICATE');
    // Basic constraints: CA, path length 0. Key usage: keyCertSign and cRLSign. Both critical.
    const der = read.raw.toString('hex');
    expect(der).toContain('0603551d130101ff040830060101ff020100');
    expect(der).toContain('0603551d0f0101ff040403020106');
  });

  it('is kept in one file that is ours alone, and is the same the next time', async () => {
    const first = await open();
    expect(statSync(join(folder, 'egress.pem')).mode & 0o777).toBe(0o600);
    expect((await open()).certificate).toBe(first.certificate);
  });

  it('is renewed before it ends', async () => {
    const first = await open();
    now += 300 * 86_400_000;
    expect((await open()).certificate).toBe(first.certificate);
    now += 40 * 86_400_000;
    expect((await open()).certificate).not.toBe(first.certificate);
  });

  it.each([
    ['others may read it', (path: string) => chmodSync(path, 0o644)],
    ['it holds something else', (path: string) => writeFileSync(path, 'x', { mode: 0o600 })],
    [
      'its key is another one',
      (path: string) => {
        const mine = readFileSync(path, 'utf8');
        const other = readFileSync(join(folder, 'other', 'egress.pem'), 'utf8');
        const at = mine.indexOf('-----BEGIN CERTIFICATE');
        const key = other.slice(0, other.indexOf('-----BEGIN CERTIFICATE'));
        writeFileSync(path, key + mine.slice(at), { mode: 0o600 });
      },
    ],
  ])('is not used, and not replaced, where %s', async (_, spoil) => {
    await open();
    const path = join(folder, 'egress.pem');
    mkdirSync(join(folder, 'other'));
    await openAuthority({
      path: join(folder, 'other', 'egress.pem'),
      uid: ownUid(),
      now: () => now,
    });
    spoil(path);
    const before = readFileSync(path, 'utf8');
    await expect(open()).rejects.toMatchObject({ refusal: { code: 'config-invalid' } });
    expect(readFileSync(path, 'utf8')).toBe(before);
  });

  it.each(['a.example', '127.0.0.1', '0:0:0:0:0:0:0:1'])(
    'makes a certificate for %s that its clients accept, and no others',
    async (host) => {
      const authority = await open();
      const context = await authority.contextFor(host);
      const plain = createServer((socket) => {
        const secure = new TLSSocket(socket, { isServer: true, secureContext: context });
        secure.on('error', () => {});
        secure.once('secure', () => secure.end('hello'));
      });
      await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
      const { port } = plain.address() as { port: number };
      const shake = async (ca: string | undefined, as: string): Promise<string> =>
        new Promise((resolve) => {
          const socket = connect({
            port,
            host: '127.0.0.1',
            ...(/^[a-z]/u.test(as) && { servername: as }),
            checkServerIdentity: (_name, found) => checkServerIdentity(as, found),
            ...(ca !== undefined && { ca }),
          });
          socket.on('data', (data) => resolve(String(data)));
          socket.on('error', (error: NodeJS.ErrnoException) =>
            resolve(error.code ?? error.message),
          );
        });
      expect(await shake(authority.certificate, host)).toBe('hello');
      expect(await shake(undefined, host)).toMatch(/UNABLE_TO|SELF_SIGNED/u);
      expect(await shake(authority.certificate, 'b.example')).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
      plain.close();
    },
  );

  it('makes each certificate once, and forgets those that nobody asks for', async () => {
    const authority = await open();
    const first = await authority.contextFor('a.example');
    expect(await authority.contextFor('a.example')).toBe(first);
    for (let index = 0; index < 3; index += 1) await authority.contextFor(`h${index}.example`);
    expect(await authority.contextFor('a.example')).not.toBe(first);
    const again = await authority.contextFor('a.example');
    now += 6 * 86_400_000;
    expect(await authority.contextFor('a.example')).not.toBe(again);
  });
});

describe('what tools are told', () => {
  it('is nine variables for one bundle, and the one of npm, and none for no path', () => {
    const all = trustVariables('/etc/bundle.pem');
    expect(Object.keys(all)).toHaveLength(10);
    expect(new Set(Object.values(all))).toEqual(new Set(['/etc/bundle.pem']));
    expect(trustVariables(null)).toEqual({});
    expect(trustVariables('')).toEqual({});
  });

  it('is the proxy, in both cases', () => {
    const all = proxyVariables(3128);
    for (const name of ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY', 'ALL_PROXY'])
      expect(all[name]).toBe('http://127.0.0.1:3128');
    expect(all).toMatchObject({ NODE_USE_ENV_PROXY: '1', no_proxy: 'localhost,127.0.0.1,::1' });
  });

  it('is one bundle of the authority and whom the host trusts, the same however often it is made', async () => {
    const { certificate } = await open();
    const extra = join(folder, 'extra.pem');
    writeFileSync(extra, `# a note\n${certificate}\n${certificate}`);
    const roots = hostRoots({ extra, bundles: [join(folder, 'none.pem')] });
    expect(roots.length).toBeGreaterThan(100);
    expect(roots.at(-1)).toBe(certificate.trim());
    const bundle = bundleOf(certificate, roots);
    expect(bundle).toBe(bundleOf(certificate, roots));
    expect(bundle.split(certificate.trim())).toHaveLength(2);
    expect(hostRoots({ extra: join(folder, 'none.pem'), bundles: [extra] })).toEqual([
      certificate.trim(),
    ]);
  });
});
