import { generateKeyPairSync, verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createGithubToken } from '../../shared/operations/github-token.ts';
import type { GithubOptions } from '../../shared/operations/github-token.ts';
import { fakeClock } from '../support/fake-clock.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});

/** Tokens from where the test says, and what was heard of them. */
function tokens(options: Partial<GithubOptions> = {}) {
  const clock = fakeClock(1_700_000_000_000);
  const changes: (string | null)[] = [];
  const lines: string[] = [];
  const asked = { gh: 0 };
  const gh = { token: null as string | null };
  const made = createGithubToken({
    clock,
    env: {},
    app: () => null,
    secret: async () => null,
    changed: (token) => changes.push(token),
    log: { warn: (line) => lines.push(line), info: (line) => lines.push(line) },
    askGh: async () => {
      asked.gh += 1;
      return gh.token;
    },
    ...options,
  });
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  };
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await settle();
  };
  return { ...made, clock, changes, lines, asked, gh, pass };
}

describe('a token for GitHub', () => {
  it('is that of the App, else of gh, else of the variables', async () => {
    const app = { appId: 12, installationId: 34, secret: 'app-key' };
    const seen: [number, string][] = [];
    const all: Partial<GithubOptions> = {
      app: () => app,
      secret: async (name) => (name === 'app-key' ? privateKey : null),
      askApp: async (installation, jwt) => {
        seen.push([installation, jwt]);
        return 'ghs_of_the_app';
      },
      askGh: async () => 'gho_of_gh_1234',
      env: { GITHUB_TOKEN: 'ghp_of_variables' },
    };
    const of = async (changed: Partial<GithubOptions>) => {
      const one = tokens({ ...all, ...changed });
      return [await one.get(), one.known()?.source];
    };
    expect(await of({})).toEqual(['ghs_of_the_app', 'app']);
    const [[installation, jwt] = [0, '']] = seen;
    const [head = '', body = '', signature = ''] = jwt.split('.');
    expect(installation).toBe(34);
    expect(JSON.parse(Buffer.from(body, 'base64url').toString())).toMatchObject({ iss: '12' });
    const signed = Buffer.from(`${head}.${body}`);
    expect(verify('RSA-SHA256', signed, publicKey, Buffer.from(signature, 'base64url'))).toBe(true);
    expect(await of({ secret: async () => null })).toEqual(['gho_of_gh_1234', 'gh']);
    expect(await of({ app: () => null, askGh: async () => null })).toEqual([
      'ghp_of_variables',
      'environment',
    ]);
    const both = { GITHUB_TOKEN: 'ghp_of_variables', GH_TOKEN: 'ghp_is_the_first' };
    expect(await of({ app: () => null, askGh: async () => null, env: both })).toEqual([
      'ghp_is_the_first',
      'environment',
    ]);
    // What no header can hold is none.
    expect(await of({ app: () => null, askGh: async () => 'a b\nc', env: {} })).toEqual([
      null,
      undefined,
    ]);
  });

  it('asks gh once for all who ask, and looks again after half an hour', async () => {
    const one = tokens();
    one.gh.token = 'gho_first_one';
    expect(await Promise.all([one.get(), one.get(), one.get()])).toEqual(
      Array.from({ length: 3 }, () => 'gho_first_one'),
    );
    expect(one.asked.gh).toBe(1);
    await one.pass(29 * 60_000);
    expect(one.asked.gh).toBe(1);
    await one.pass(60_000);
    expect(one.asked.gh).toBe(2);
    // The same one is not news.
    expect(one.changes).toEqual(['gho_first_one']);
    one.gh.token = 'gho_second_one';
    await one.pass(30 * 60_000);
    expect(await one.get()).toBe('gho_second_one');
    expect(one.changes).toEqual(['gho_first_one', 'gho_second_one']);
    one.dispose();
    await one.pass(60 * 60_000);
    expect(one.asked.gh).toBe(3);
  });

  it('is asked for anew when GitHub turns it away, and not in a circle', async () => {
    const one = tokens();
    one.gh.token = 'gho_first_one';
    await one.get();
    one.gh.token = 'gho_second_one';
    one.invalidate();
    one.invalidate();
    await one.pass(0);
    expect(await one.get()).toBe('gho_second_one');
    expect(one.asked.gh).toBe(2);
    await one.pass(10_000);
    one.invalidate();
    await one.pass(0);
    expect(one.asked.gh).toBe(3);
    expect(one.changes).toEqual(['gho_first_one', 'gho_second_one']);
  });

  it('warns once while there is none, and again when it went after it had come back', async () => {
    const one = tokens({
      app: () => ({ appId: 1, installationId: 2, secret: 'nowhere' }),
      askApp: async () => null,
    });
    await one.get();
    await one.pass(30 * 60_000);
    expect(one.lines).toEqual([
      'There is no token for GitHub, so nobody is signed in there (the secret "nowhere" of the GitHub App is not kept).',
    ]);
    expect(one.changes).toEqual([]);
    one.gh.token = 'gho_first_one';
    await one.pass(30 * 60_000);
    expect(one.lines.at(-1)).toBe('There is a token for GitHub again.');
    one.gh.token = null;
    await one.pass(30 * 60_000);
    expect(one.lines).toHaveLength(3);
    expect(one.changes).toEqual(['gho_first_one', null]);
    expect(await one.get()).toBeNull();
  });
});
