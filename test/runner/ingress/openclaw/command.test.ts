import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../../../../runner/cli/program.ts';
import { fakeRunner, json } from '../../cli/fake-runner.ts';
import { cli, temporaryHome, testIo } from '../../cli/support.ts';
import { standInGateway } from './gateway.ts';
import type { Call, Reply, StandIn } from './gateway.ts';
import { listing, record, token } from './support.ts';

let place: ReturnType<typeof temporaryHome>;
let tokenFile: string;
let gateway: StandIn;

const policy = { version: 1, agents: { main: { allowlist: [{ pattern: '/usr/bin/git' }] } } };
const hash = 'ab'.repeat(32);

/** OpenClaw's policy as the Gateway keeps it: replaced only under the hash that it has. */
function keeper(): (call: Call) => Reply {
  return ({ method, params }) => {
    if (method.endsWith('.set') && params['baseHash'] !== hash)
      return { ok: false, error: { code: 'INVALID_REQUEST', message: 'changed since read' } };
    const file = method.endsWith('.set') ? params['file'] : policy;
    return { ok: true, payload: { path: '/x', exists: true, hash, file } };
  };
}

async function opened(answer: (call: Call) => Reply): Promise<StandIn> {
  gateway = await standInGateway({ token, answer });
  return gateway;
}

beforeEach(() => {
  place = temporaryHome();
  mkdirSync(place.home, { mode: 0o700 });
  mkdirSync(join(place.home, 'keys'), { mode: 0o700 });
  tokenFile = join(place.folder, 'token');
  writeFileSync(tokenFile, `${token}\n`, { mode: 0o600 });
});
afterEach(async () => {
  await gateway?.close();
  place.remove();
});

const world = (): {
  readonly home: string;
  readonly cwd: string;
  readonly env: { HOME: string };
} => ({
  home: place.home,
  cwd: place.folder,
  env: { HOME: place.folder },
});

describe('interlock openclaw policy', () => {
  it('shows the policy and the hash that a set must name', async () => {
    const { url, connects } = await opened(keeper());
    const flags = ['--url', url, '--token-file', tokenFile];
    const { exitCode, out, err } = await cli(world(), 'openclaw', 'policy', 'get', ...flags);
    expect(exitCode, err).toBe(0);
    expect(JSON.parse(out)).toEqual(policy);
    expect(err).toBe(`hash ${hash}\n`);
    expect(connects[0]).toMatchObject({ scopes: ['operator.admin'] });
  });

  it('replaces it under its hash, and writes nothing where OpenClaw lives', async () => {
    const { url, calls } = await opened(keeper());
    const file = join(place.folder, 'new.json');
    writeFileSync(file, JSON.stringify({ version: 1, agents: {} }));
    const set = ['openclaw', 'policy', 'set', file, '--url', url, '--token-file', tokenFile];
    const result = await cli(world(), ...set, '--node', 'pi', '--base-hash', hash);
    expect(result).toMatchObject({ exitCode: 0, out: `${hash}\n` });
    expect(calls).toEqual([
      {
        method: 'exec.approvals.node.set',
        params: { file: { version: 1, agents: {} }, baseHash: hash, nodeId: 'pi' },
      },
    ]);
    const late = await cli(world(), ...set, '--base-hash', 'cd'.repeat(32));
    expect(late.exitCode).toBe(125);
    expect(late.err).toContain('changed since read');
    expect(readdirSync(place.folder).toSorted()).toEqual(['home', 'new.json', 'token']);
  });

  it('sends no file that OpenClaw would take for an empty policy', async () => {
    const { url, connects } = await opened(keeper());
    const file = join(place.folder, 'new.json');
    for (const text of ['{"version":2}', '[]', 'null', '{', '{}']) {
      writeFileSync(file, text);
      const flags = ['--url', url, '--token-file', tokenFile, '--base-hash', hash];
      const { exitCode } = await cli(world(), 'openclaw', 'policy', 'set', file, ...flags);
      expect(exitCode, text).toBe(125);
    }
    expect(connects).toHaveLength(0);
  });
});

describe('interlock openclaw connect', () => {
  it('puts a request through the runner and answers with what it says', async () => {
    const { url } = await opened(listing(() => [{ ...record('a1'), expiresAtMs: 4e12 }]));
    const runner = await fakeRunner(join(place.home, 'runner.sock'), (_seen, response) =>
      json(response, 200, {
        ok: true,
        id: 'r1',
        permission: { code: 'allow-once', by: 'person' },
      }),
    );
    const io = testIo(world());
    const args = ['openclaw', 'connect', '--url', url, '--token-file', tokenFile];
    const ended = runCli(args, io.io);
    const { params } = await gateway.next('exec.approval.resolve');
    expect(params).toEqual({ id: 'a1', decision: 'allow-once' });
    expect(runner.seen).toMatchObject([
      { path: '/v1/permits', body: { command: 'ls -la', by: 'elsewhere', agent: 'openclaw:main' } },
    ]);
    io.signal('SIGINT');
    expect(await ended).toBe(0);
    await runner.close();
    const device = readFileSync(join(place.home, 'keys', 'openclaw-device.pem'), 'utf8');
    expect(device).toContain('PRIVATE KEY');
    expect(io.out() + io.err()).not.toContain(token);
  });

  it.each([
    ['others can read', 0o644, token],
    ['is empty', 0o600, ''],
    ['holds two lines', 0o600, 'first-line\nsecond-line'],
  ])('takes no token from a file that %s', async (_what, mode, text) => {
    await opened(listing(() => []));
    const file = join(place.folder, 'other');
    writeFileSync(file, text, { mode });
    const flags = ['--url', gateway.url, '--token-file', file];
    const { exitCode, err } = await cli(world(), 'openclaw', 'connect', ...flags);
    expect(exitCode).not.toBe(0);
    expect(err).toContain('config-invalid');
    expect(text === '' || !err.includes(text)).toBe(true);
    expect(gateway.connects).toHaveLength(0);
  });
});
