import { mkdtempSync, rmSync, appendFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { authenticateSigned, signatureTtlMs } from '../../../runner/principals/callers.ts';
import type { NonceWindow } from '../../../runner/principals/nonce-window.ts';
import { openNonceWindow } from '../../../runner/principals/nonce-window.ts';
import { jsonMac, readSignature } from '../../../shared/ipc/signed-request-read.ts';
import { bodyDigest, signCall } from '../../../shared/ipc/signed-request.ts';

const uid = process.getuid?.() ?? 0;
const key = Buffer.alloc(32, 5);
let now = 1_700_000_000_000;
let counter = 0;
let directory: string;
let nonces: NonceWindow;

const random = (bytes: number): Uint8Array => Buffer.alloc(bytes, (counter += 1));
const body = { cwd: '/tmp', argv: ['ls', '-l'] };
const bytes = JSON.stringify(body);
const call = { method: 'POST', path: '/v1/exec', body, digest: bodyDigest(bytes) };

function openNonces(): NonceWindow {
  return openNonceWindow({ path: join(directory, 'nonces'), uid, now: () => now });
}

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'interlock-signed-'));
  nonces = openNonces();
});
afterEach(() => {
  nonces.dispose();
  rmSync(directory, { recursive: true, force: true });
});

async function authenticate(
  headers: Readonly<Record<string, string>>,
  sent: typeof call = call,
): Promise<string> {
  const signature = readSignature(headers);
  if (signature === null) throw new Error('no signature');
  return authenticateSigned(
    { signature, ...sent },
    {
      principals: { key: async (name) => (name === 'claude' ? key : null) },
      nonces,
      now: () => now,
    },
  );
}

/** Over the bytes, as our own programs sign. */
const signedAsBytes = (): Readonly<Record<string, string>> =>
  signCall({ agent: 'claude', key, now: () => now, random }, { ...call, payload: bytes });

/** Over the canonical JSON, as programs of others may. */
function signedAsJson(): Readonly<Record<string, string>> {
  const { 'x-interlock-signs': _signs, ...headers } = signedAsBytes();
  const nonce = headers['x-interlock-nonce'] ?? '';
  const mac = jsonMac(key, { ...call, agent: 'claude', ts: now, nonce });
  return { ...headers, 'x-interlock-mac': mac };
}

describe.each([
  ['over its bytes', signedAsBytes],
  ['over its JSON', signedAsJson],
])('a request that is signed %s', (_how, signed) => {
  it('is known by its key', async () => {
    expect(await authenticate(signed())).toBe('claude');
  });

  it('does not depend on the order of members as JSON', () => {
    const fixed = { agent: 'a', method: 'POST', path: '/', ts: 1, nonce: 'n' };
    expect(jsonMac(key, { ...fixed, body: { a: 1, b: 2 } })).toBe(
      jsonMac(key, { ...fixed, body: { b: 2, a: 1 } }),
    );
  });

  it('is refused a second time, also after a restart', async () => {
    const headers = signed();
    await authenticate(headers);
    await expect(authenticate(headers)).rejects.toMatchObject({
      refusal: { code: 'replay-detected' },
    });
    nonces.dispose();
    nonces = openNonces();
    await expect(authenticate(headers)).rejects.toMatchObject({
      refusal: { code: 'replay-detected' },
    });
  });

  it('is refused when the clock was set back after it was forgotten', async () => {
    const headers = signed();
    const before = now;
    await authenticate(headers);
    for (const restarts of [1, 2]) {
      now = before + restarts * 3_600_000;
      nonces.dispose();
      nonces = openNonces();
    }
    now = before;
    await expect(authenticate(headers)).rejects.toMatchObject({
      refusal: { code: 'replay-detected' },
    });
    nonces.dispose();
    nonces = openNonces();
    await expect(authenticate(headers)).rejects.toMatchObject({
      refusal: { code: 'replay-detected' },
    });
    now = before + 3_600_000;
    expect(await authenticate(signed())).toBe('claude');
    now = before;
  });

  it('is refused when a crash left half a line in the memory of nonces', async () => {
    const headers = signed();
    await authenticate(headers);
    nonces.dispose();
    appendFileSync(join(directory, 'nonces'), '17000');
    nonces = openNonces();
    await expect(authenticate(headers)).rejects.toMatchObject({
      refusal: { code: 'replay-detected' },
    });
  });

  it.each([signatureTtlMs + 1, -signatureTtlMs - 1])(
    'is refused %i ms off our clock',
    async (off) => {
      const headers = signed();
      now += off;
      await expect(authenticate(headers)).rejects.toMatchObject({ refusal: { code: 'hmac-fail' } });
      now -= off;
    },
  );

  it.each([
    ['another path', { ...call, path: '/v1/check' }],
    ['another method', { ...call, method: 'GET' }],
    [
      'another body',
      {
        ...call,
        body: { ...body, argv: ['rm', '-rf', '/'] },
        digest: bodyDigest(JSON.stringify({ ...body, argv: ['rm', '-rf', '/'] })),
      },
    ],
  ])('does not count for %s', async (_name, sent) => {
    await expect(authenticate(signed(), sent)).rejects.toMatchObject({
      refusal: { code: 'hmac-fail' },
    });
  });

  it('does not count for another agent, and does not tell whether that agent exists', async () => {
    const headers = { ...signed(), 'x-interlock-agent': 'codex' };
    await expect(authenticate(headers)).rejects.toMatchObject({ refusal: { code: 'hmac-fail' } });
  });

  it('with a header missing is broken, not unsigned', () => {
    const { 'x-interlock-mac': _mac, ...rest } = signed();
    expect(() => readSignature(rest)).toThrow('hmac-fail');
    expect(readSignature({})).toBeNull();
  });
});

describe('the two ways to sign', () => {
  it.each([
    ['bytes', 'over its JSON', signedAsJson],
    [undefined, 'over its bytes', signedAsBytes],
  ])('are not one another: %s said of a mac %s', async (signs, _how, make) => {
    const { 'x-interlock-signs': _signs, ...headers } = make();
    const said = signs === undefined ? headers : { ...headers, 'x-interlock-signs': signs };
    await expect(authenticate(said)).rejects.toMatchObject({ refusal: { code: 'hmac-fail' } });
  });

  it('are all that there are', () => {
    expect(() => readSignature({ ...signedAsBytes(), 'x-interlock-signs': 'nothing' })).toThrow(
      'hmac-fail',
    );
    expect(() => readSignature({ 'x-interlock-signs': 'bytes' })).toThrow('hmac-fail');
  });

  it('tell one body from another that reads the same', async () => {
    const sent = { ...call, digest: bodyDigest(`${bytes} `) };
    await expect(authenticate(signedAsBytes(), sent)).rejects.toMatchObject({
      refusal: { code: 'hmac-fail' },
    });
    expect(await authenticate(signedAsJson(), sent)).toBe('claude');
  });
});
