import { createPublicKey, generateKeyPairSync, randomBytes, verify } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createGithubToken } from '../../shared/operations/github-token.ts';
import type { GithubOptions } from '../../shared/operations/github-token.ts';
import { fakeClock } from '../support/fake-clock.ts';

const pem = { type: 'pkcs8', format: 'pem' } as const;
const keysOf = () => generateKeyPairSync('rsa', { modulusLength: 2048 });
const [known, stranger] = [keysOf(), keysOf()].map(({ privateKey }) =>
  privateKey.export(pem).toString(),
) as [string, string];
const appId = 12;
const installation = 34;
const hour = 3_600_000;

afterEach(() => void vi.unstubAllGlobals());

/** Why GitHub would turn a call of an App away, by its documentation; null for a good one. */
function wrongWith(req: IncomingMessage, now: number): string | null {
  const { authorization = '', accept, 'user-agent': agent = '' } = req.headers;
  const [scheme, jwt = ''] = authorization.split(' ');
  const parts = jwt.split('.');
  if (scheme !== 'Bearer' || parts.length !== 3) return 'A JSON web token could not be decoded';
  const [head = '', body = '', signature = ''] = parts;
  const read = (part: string) =>
    JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
  const signed = Buffer.from(`${head}.${body}`);
  const key = createPublicKey(known);
  if (read(head)['alg'] !== 'RS256') return 'Only RS256 is supported';
  if (!verify('RSA-SHA256', signed, key, Buffer.from(signature, 'base64url')))
    return 'A JSON web token could not be decoded';
  const { iat, exp, iss } = read(body);
  if (typeof iat !== 'number' || iat > now / 1_000) return "'Issued at' claim is in the future";
  if (typeof exp !== 'number' || exp <= now / 1_000)
    return "'Expiration time' claim is in the past";
  if (exp - now / 1_000 > 600) return "'Expiration time' claim is too far in the future";
  if (iss !== String(appId)) return "'Issuer' claim must be the App's id";
  if (accept !== 'application/vnd.github+json' || agent === '') return 'Request forbidden';
  return null;
}

/** GitHub, as an App sees it: it gives tokens that end after an hour, and turns away all else. */
async function github(now: () => number) {
  const given = new Map<string, number>();
  const refused: string[] = [];
  const server = createServer((req, res) => {
    const path = `/app/installations/${String(installation)}/access_tokens`;
    const why = wrongWith(req, now());
    const status = why !== null ? 401 : req.method !== 'POST' || req.url !== path ? 404 : 201;
    if (status !== 201) {
      refused.push(why ?? 'Not Found');
      res.writeHead(status).end(JSON.stringify({ message: why ?? 'Not Found' }));
      return;
    }
    const token = `ghs_${randomBytes(18).toString('hex')}`;
    given.set(token, now() + hour);
    const expires_at = new Date(now() + hour).toISOString();
    res
      .writeHead(201)
      .end(JSON.stringify({ token, expires_at, permissions: { contents: 'write' } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const plain = globalThis.fetch;
  vi.stubGlobal('fetch', async (address: string, how: RequestInit) => {
    expect(new URL(address).origin).toBe('https://api.github.com');
    return plain(`http://127.0.0.1:${String(port)}${new URL(address).pathname}`, how);
  });
  return {
    given: () => [...given.keys()],
    refused,
    /** Whether it takes this token now. */
    takes: (token: string | null) => token !== null && (given.get(token) ?? 0) > now(),
  };
}

async function scene(changed: Partial<GithubOptions> = {}) {
  const clock = fakeClock(Date.UTC(2026, 10, 27));
  const at = await github(() => clock.now());
  const lines: string[] = [];
  const changes: (string | null)[] = [];
  const made = createGithubToken({
    clock,
    env: {},
    app: () => ({ appId, installationId: installation, secret: 'app-key' }),
    secret: async () => known,
    changed: (token) => changes.push(token),
    log: { warn: (line) => lines.push(line), info: (line) => lines.push(line) },
    askGh: async () => null,
    ...changed,
  });
  onTestFinished(() => made.dispose());
  return { ...at, ...made, clock, lines, changes };
}

describe('a GitHub App, before a GitHub that looks at all it is told', () => {
  it('gets the token of its installation, and a new one before that ends', async () => {
    const one = await scene();
    const first = await one.get();
    expect([one.takes(first), one.known()?.source]).toEqual([true, 'app']);
    for (let half = 2; half < 8; half += 1) {
      one.clock.advance(hour / 2);
      await expect.poll(() => one.given().length).toBe(half);
      await expect.poll(() => one.changes.length).toBe(half);
      expect(one.takes(await one.get())).toBe(true);
    }
    expect(one.takes(first)).toBe(false);
    expect(one.refused).toEqual([]);
  });

  it('gets a new one when GitHub takes the old one no more', async () => {
    const one = await scene();
    const first = await one.get();
    one.invalidate();
    await expect.poll(() => one.changes.length).toBe(2);
    expect(await one.get()).not.toBe(first);
  });

  it.each<[string, Partial<GithubOptions>, string]>([
    ['the key of another App', { secret: async () => stranger }, 'GitHub answers the App with 401'],
    ['a key that is none', { secret: async () => 'key' }, 'private key of the GitHub App'],
    [
      'an id that is not its own',
      { app: () => ({ appId: 13, installationId: installation, secret: 'app-key' }) },
      'GitHub answers the App with 401',
    ],
    [
      'the installation of somebody else',
      { app: () => ({ appId, installationId: 35, secret: 'app-key' }) },
      'GitHub answers the App with 404',
    ],
  ])('gets none with %s, and says why without the key', async (_, changed, why) => {
    const one = await scene(changed);
    expect(await one.get()).toBeNull();
    expect(one.given()).toEqual([]);
    expect(one.lines).toHaveLength(1);
    expect(one.lines[0]).toContain(why);
    expect(one.lines[0]).not.toContain('PRIVATE');
  });
});
