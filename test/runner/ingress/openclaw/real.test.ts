import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openDevice } from '../../../../runner/nodes/device.ts';
import { signIn } from '../../../../runner/ingress/openclaw/sign-in.ts';
import type { SignedIn } from '../../../../runner/ingress/openclaw/sign-in.ts';
import { systemClock } from '../../../../shared/home/clock.ts';
import { realProgram } from '../../../agents/support/programs/real-agent.ts';
import {
  auditRows,
  makeHome,
  realApprover,
  root,
  startApproverProcess,
  startRunnerProcess,
} from '../../service/support.ts';
import { token } from './support.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 });

const openclaw = {
  pin: {
    name: 'openclaw',
    version: '2026.9.6',
    package: 'openclaw',
    program: 'openclaw/openclaw.mjs',
    // It starts with no older Node.
    besides: [`node-${process.platform}-${process.arch}@26.10.0`],
  },
  quick: false,
};
const found = realProgram(openclaw, process.env);
const uid = process.geteuid?.() ?? -1;

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A Gateway in a home of its own, ready; it asks about everything. */
async function startGateway(program: string) {
  const node = join(dirname(program), '..', `node-${process.platform}-${process.arch}`, 'bin/node');
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'il-openclaw-')));
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
  const state = join(home, 'state');
  mkdirSync(state);
  const port = await freePort();
  const gateway = { mode: 'local', port, bind: 'loopback', auth: { mode: 'token', token } };
  writeFileSync(join(state, 'openclaw.json'), JSON.stringify({ gateway }));
  const child = spawn(node, [program, 'gateway', 'run', '--port', String(port)], {
    cwd: home,
    env: {
      PATH: `${dirname(node)}:${process.env['PATH'] ?? ''}`,
      HOME: home,
      TMPDIR: home,
      OPENCLAW_STATE_DIR: state,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  onTestFinished(async () => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    await ended;
  });
  let said = '';
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        said += text;
        if (/\bready\b\s*$/mu.test(said)) resolve();
      });
    child.once('close', () => reject(new Error(`the Gateway ended: ${said}`)));
  });
  const tokenFile = join(home, 'token');
  writeFileSync(tokenFile, token, { mode: 0o600 });
  return { url: `ws://127.0.0.1:${String(port)}`, node, home, state, tokenFile };
}

type Gateway = Awaited<ReturnType<typeof startGateway>>;

/** Another client of the Gateway: a device of its own, which asks and waits. */
async function otherClient({ url, home }: Gateway): Promise<SignedIn> {
  const device = openDevice(join(home, 'other.pem'), uid);
  const client = await signIn({
    url,
    credentials: { kind: 'pairing', token, device },
    scope: 'operator.approvals',
    clock: systemClock,
    version: '0.1.0',
    platform: 'linux',
    onEvent: () => undefined,
  });
  onTestFinished(() => client.dispose());
  return client;
}

async function asks(client: SignedIn, command: string): Promise<unknown> {
  return client.call('exec.approval.request', {
    command,
    cwd: '/tmp',
    host: 'gateway',
    agentId: 'main',
    sessionKey: 'agent:main:main',
    security: 'allowlist',
    ask: 'always',
    timeoutMs: 25_000,
  });
}

/** What a person types about this Gateway. */
function typed(gateway: Gateway, interlockHome: string, ...args: readonly string[]): string {
  const cli = join(root, 'dist/runner/cli/main.js');
  const words = [cli, 'openclaw', ...args, '--url', gateway.url];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, {
    cwd: gateway.home,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] ?? '', HOME: gateway.home, INTERLOCK_HOME: interlockHome },
  });
  return `${String(status)} ${stdout}${stderr}`;
}

if (!found.ok) {
  process.stderr.write(`NOT TESTED: OpenClaw ${openclaw.pin.version}, because ${found.why}\n`);
  test.skip(`OpenClaw ${openclaw.pin.version}: not tested, because ${found.why}`);
} else {
  describe(`the Gateway of OpenClaw ${openclaw.pin.version}`, () => {
    test('has the asks of another client answered in our app, by approvals rights alone', async () => {
      const gateway = await startGateway(found.path);
      const paths = await makeHome();
      const state = ['--state', gateway.state, '--node', gateway.node];
      const withToken = ['--token-file', gateway.tokenFile];

      // Nothing is known of an approval runtime before OpenClaw has a policy.
      expect(typed(gateway, paths.home, 'pair', ...withToken, ...state)).toContain('--gateway');
      expect(typed(gateway, paths.home, 'policy', 'get', ...withToken)).toMatch(/^0 /);
      expect(typed(gateway, paths.home, 'pair', ...withToken, ...state)).toMatch(/^0 Paired/);
      expect(typed(gateway, paths.home, 'status', ...state)).toMatch(
        /^0 [^]*which gives operator\.approvals\)[^]*Sees asks +yes/u,
      );
      rmSync(gateway.tokenFile);

      const config = JSON.parse(readFileSync(paths.config, 'utf8')) as object;
      const openclawConfig = { openclaw: { url: gateway.url } };
      writeFileSync(paths.config, JSON.stringify({ ...config, ...openclawConfig }));
      const approver = await startApproverProcess(paths, realApprover);
      const runner = await startRunnerProcess(paths);
      await runner.says("Connected to OpenClaw's Gateway");

      const client = await otherClient(gateway);
      const yes = asks(client, 'echo "$RANDOM"');
      const first = await approver.next('ask');
      expect(first.ask).toMatchObject({ command: 'echo "$RANDOM"', agent: 'openclaw:main' });
      answer(approver, first, 'allow-once');
      expect(await yes).toMatchObject({ decision: 'allow-once' });

      const no = asks(client, 'rm -rf build');
      answer(approver, await approver.next('ask'), 'deny');
      expect(await no).toMatchObject({ decision: 'deny' });
      const decisions = auditRows(paths).filter(({ type }) => type === 'decision');
      expect(decisions).toMatchObject([
        { decision: 'allow', code: 'allow-once', by: 'person' },
        { decision: 'deny', code: 'confirm-rejected', by: 'person' },
      ]);
      expect(runner.stderr()).not.toContain(token);

      // Without the pairing the same client is told at once that nobody is there.
      await runner.kill('SIGTERM');
      expect(await asks(client, 'echo nobody')).toMatchObject({ decision: null });
    });
  });
}

function answer(
  approver: Awaited<ReturnType<typeof startApproverProcess>>,
  asked: Awaited<ReturnType<typeof approver.next>>,
  decision: string,
): void {
  const { ask, digest } = asked;
  approver.child.stdin.write(`${JSON.stringify({ id: ask.id, askDigest: digest, decision })}\n`);
}
