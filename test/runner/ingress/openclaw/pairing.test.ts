import { chmodSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runCli } from '../../../../runner/cli/program.ts';
import { fakeRunner, json } from '../../cli/fake-runner.ts';
import { cli, temporaryHome, testIo } from '../../cli/support.ts';
import { deviceToken, recorded, standInGateway } from './gateway.ts';
import { listing, token } from './support.ts';

const runtimeToken = 'R'.repeat(43);
const nobody = Buffer.from('').toString();

/** A home, a Gateway that shows asks as 2026.9.6 does, and a program in the place of OpenClaw's Node. */
async function setUp(
  found: object = { kind: 'found', token: runtimeToken, security: null, ask: 'always' },
) {
  const place = temporaryHome();
  onTestFinished(place.remove);
  const gateway = await standInGateway({ token, runtimeToken, answer: listing(() => []) });
  onTestFinished(async () => gateway.close());
  for (const folder of [place.home, join(place.home, 'keys'), join(place.folder, 'state/state')])
    mkdirSync(folder, { mode: 0o700, recursive: true });
  writeFileSync(join(place.home, 'keys/store.json'), '{"kind":"file"}', { mode: 0o600 });
  writeFileSync(join(place.folder, 'state/state/openclaw.sqlite'), '');
  const tokenFile = join(place.folder, 'token');
  writeFileSync(tokenFile, token, { mode: 0o600 });
  const node = join(place.folder, 'node');
  const tell = (said: object): void => {
    const words = JSON.stringify(said);
    writeFileSync(node, `#!/bin/sh\nprintf '%s\\n' "$@" > "$0.args"\necho '${words}'\n`);
    chmodSync(node, 0o700);
  };
  tell(found);
  const world = { home: place.home, cwd: place.folder, env: { HOME: place.folder } };
  const url = ['--url', gateway.url];
  const state = ['--state', join(place.folder, 'state'), '--node', node];
  return { place, gateway, tokenFile, node, tell, world, url, state };
}

type Stage = Awaited<ReturnType<typeof setUp>>;

async function pair({ world, url, state, tokenFile }: Stage): ReturnType<typeof cli> {
  return cli(world, 'openclaw', 'pair', ...url, ...state, '--token-file', tokenFile);
}

const secrets = [token, deviceToken, runtimeToken];

function expectNoSecret(text: string): void {
  for (const secret of secrets) expect(text).not.toContain(secret);
}

describe('interlock openclaw pair', () => {
  test('gets a token for approvals alone, and is from then on shown the asks of others', async () => {
    const stage = await setUp();
    const paired = await pair(stage);
    expect(paired).toMatchObject({ exitCode: 0 });
    expect(paired.out).toContain('OpenClaw 2026.9.6');
    const [first, second] = stage.gateway.connects;
    expect(first).toMatchObject({ scopes: ['operator.approvals'], auth: { token } });
    expect(second).toMatchObject({
      client: { id: 'gateway-client', mode: 'backend' },
      scopes: ['operator.approvals'],
      auth: { deviceToken, approvalRuntimeToken: runtimeToken },
    });
    expect(second?.['auth']).not.toHaveProperty('token');
    expectNoSecret(paired.out + paired.err + readFileSync(`${stage.node}.args`, 'utf8'));

    const runner = await fakeRunner(join(stage.place.home, 'runner.sock'), (_seen, response) =>
      json(response, 200, { ok: true, id: 'r1', permission: { code: 'allow-once', by: 'person' } }),
    );
    onTestFinished(runner.close);
    const io = testIo(stage.world);
    const ended = runCli(['openclaw', 'connect', ...stage.url], io.io);
    await stage.gateway.next('exec.approval.list');
    await stage.gateway.next('exec.approval.list');
    stage.gateway.tellReviewers('exec.approval.requested', recorded.requested);
    const { params } = await stage.gateway.next('exec.approval.resolve');
    expect(params).toEqual({ id: recorded.requested.id, decision: 'allow-once' });
    expect(runner.seen).toMatchObject([
      { path: '/v1/permits', body: { command: 'echo hello', agent: 'openclaw:main', cwd: '/tmp' } },
    ]);
    io.signal('SIGINT');
    expect(await ended).toBe(0);
    expectNoSecret(io.out() + io.err());
  });

  test('keeps both tokens in the secret store and nowhere else', async () => {
    const stage = await setUp();
    await pair(stage);
    const files = readdirSync(stage.place.home, { recursive: true, withFileTypes: true });
    const texts = files
      .filter((file) => file.isFile())
      .map((file) => [file.name, readFileSync(join(file.parentPath, file.name), 'utf8')] as const);
    for (const [name, text] of texts)
      for (const secret of secrets) expect(text, name).not.toContain(secret);
    const kept = texts.find(([name]) => name === 'openclaw-pairing.secret')?.[1] ?? nobody;
    expect(JSON.parse(Buffer.from(kept, 'base64url').toString('utf8'))).toEqual({
      version: 1,
      url: `${stage.gateway.url}/`,
      deviceToken,
      runtimeToken,
    });
    const unpaired = await cli(stage.world, 'openclaw', 'unpair');
    expect(unpaired).toMatchObject({ exitCode: 0, out: 'Forgotten.\n' });
    const { exitCode, err } = await cli(stage.world, 'openclaw', 'connect', ...stage.url);
    expect(exitCode).not.toBe(0);
    expect(err).toContain('interlock openclaw pair');
  });

  test('says nothing secret when a Gateway sends back what it was sent', async () => {
    const stage = await setUp();
    writeFileSync(stage.tokenFile, 'another-token-entirely', { mode: 0o600 });
    const { exitCode, out, err } = await pair(stage);
    expect(exitCode).not.toBe(0);
    expect(err).toContain('AUTH_TOKEN_MISMATCH');
    expect(out + err).not.toContain('another-token-entirely');
  });

  test.each([
    [{ kind: 'no-sqlite' }, '--node FILE'],
    [{ kind: 'no-token' }, 'openclaw approvals get --gateway'],
    [{ kind: 'found', token: 'short', security: null, ask: null }, 'could not be read'],
    [
      { kind: 'found', token: runtimeToken, security: null, ask: null, more: 1 },
      'could not be read',
    ],
  ])('keeps nothing where the state says %j', async (found, sentence) => {
    const stage = await setUp(found);
    const { exitCode, err } = await pair(stage);
    expect(exitCode).not.toBe(0);
    expect(err).toContain(sentence);
    expect(stage.gateway.connects).toHaveLength(0);
  });

  test('is not for a Gateway on another machine', async () => {
    const stage = await setUp();
    const url = ['--url', 'wss://gateway.example'];
    const { exitCode, err } = await pair({ ...stage, url });
    expect(exitCode).not.toBe(0);
    expect(err).toContain('on the machine of the Gateway');
  });

  test('sends its tokens to no other address than the one it was made with', async () => {
    const stage = await setUp();
    await pair(stage);
    const other = await standInGateway({ token, answer: listing(() => []) });
    onTestFinished(async () => other.close());
    const { exitCode } = await cli(stage.world, 'openclaw', 'connect', '--url', other.url);
    expect(exitCode).not.toBe(0);
    expect(other.connects).toHaveLength(0);
  });
});

describe('interlock openclaw status', () => {
  const look = async ({ world, url, state }: Stage): ReturnType<typeof cli> =>
    cli(world, 'openclaw', 'status', ...url, ...state);

  test('says that asks are seen, with which right, and what fails before any ask', async () => {
    const stage = await setUp();
    await pair(stage);
    const { exitCode, out, err } = await look(stage);
    expect(exitCode, err).toBe(0);
    expect(out).toMatch(/Sees asks +yes/);
    expect(out).toContain('OpenClaw 2026.9.6, which gives operator.approvals');
    expect(out).toContain('Sub-agents');
    expectNoSecret(out + err);
  });

  test('says that asks are not seen before the pairing', async () => {
    const { exitCode, out } = await look(await setUp());
    expect(exitCode).toBe(1);
    expect(out).toMatch(/Paired +no/);
    expect(out).toMatch(/Sees asks +no/);
    expect(out).toContain('interlock openclaw pair');
  });

  test('says so when OpenClaw has made itself another token, and when it asks nobody', async () => {
    const stage = await setUp();
    await pair(stage);
    stage.tell({ kind: 'found', token: 'N'.repeat(43), security: 'full', ask: null });
    const { exitCode, out } = await look(stage);
    expect(exitCode).toBe(1);
    expect(out).toContain('another approval token');
    expect(out).toContain('ask: off');
    expectNoSecret(out);
  });

  test('does not claim what it cannot tell: no Gateway, no state', async () => {
    const stage = await setUp();
    await pair(stage);
    stage.tell({ kind: 'no-sqlite' });
    const blind = await look(stage);
    expect(blind.out).toMatch(/Sees asks +that cannot be told/);
    expect(blind.exitCode).toBe(1);
    await stage.gateway.close();
    const { out, exitCode } = await look(stage);
    expect(exitCode).toBe(1);
    expect(out).toMatch(/Sees asks +no/);
    expect(out).toContain('cannot be reached');
  });
});
