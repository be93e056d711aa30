import { createServer as createHttp } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { addressText, compileEgress, defaultEgress } from '../../../../shared/engine/index.ts';
import { systemClock } from '../../../../shared/home/index.ts';
import { createEgressProxy } from '../../../../runner/egress/proxy.ts';
import { proxyVariables } from '../../../../runner/egress/trust.ts';
import type { BoxNetwork } from '../../../../runner/hosts/sandbox/launch.ts';
import type { HostTask } from '../../../../runner/hosts/host.ts';
import { serving } from '../../egress/harness.ts';
import { run } from '../support.ts';
import { box, command, inside, isRoot, rungs, whyNot } from './support.ts';
import type { Kind } from './support.ts';

const port = 3128;

/** A sandbox with a proxy to one server behind `up.example`, and who came to it. */
async function filtered(owner?: number, rung?: Kind) {
  const server = createHttp((_req, res) => res.end('hello from up'));
  const at = await serving(server);
  const came: string[] = [];
  const ended: string[] = [];
  const compiled = compileEgress({ ...defaultEgress, presets: [], allow: ['up.example'] });
  if (!compiled.ok) throw new Error(compiled.problem);
  const { policy } = compiled;
  const proxy = createEgressProxy({
    clock: systemClock,
    newId: () => 'id',
    admit: () => {},
    settings: () => ({ policy, requestsPerMinute: 1_000, burst: 1_000, connections: 100 }),
    resolve: async () => ['8.8.8.8'],
    ownAddresses: () => [],
    dial: (address, _port, read) => {
      came.push(addressText(address));
      return connect({ ...read, host: '127.0.0.1', port: at, allowHalfOpen: true });
    },
    secret: async () => null,
    authority: async () => Promise.reject(new Error('not here')),
    record: { allowed: async () => {}, refused: () => {}, ended: () => {} },
    log: { warn: () => {}, error: () => {} },
  });
  const network = async (task: HostTask): Promise<BoxNetwork> => ({
    port,
    variables: proxyVariables(port),
    entries: [{ kind: 'file', target: '/etc/trust.pem', content: 'whom to trust\n' }],
    listens: (listener) => {
      listener.on('connection', (socket) => {
        proxy.serve(socket, { agent: task.agent, session: null, box: task.id, cwd: task.cwd });
      });
      listener.unref();
    },
    close: () => {
      ended.push(task.id);
      proxy.endBox(task.id);
    },
  });
  const options = {
    network,
    ...(owner !== undefined && { owner }),
    ...(rung !== undefined && { rung }),
  };
  return { ...box({ network: 'restricted' }, options), came, ended, port: at };
}

describe.skipIf(whyNot !== null)('a filtered network', () => {
  test.each(rungs)(
    'by %s reaches what is allowed, by its own loopback, and no more',
    async (rung) => {
      const { host, workspace, came, port: outside } = await filtered(undefined, rung);
      const lines = [
        'curl -sS -m 20 http://up.example/ && echo',
        'curl -sS -m 20 -o /dev/null -w "%{http_code}\\n" http://other.example/',
        `curl -sS -m 20 --noproxy "*" http://127.0.0.1:${String(outside)}/ 2>&1 | grep -o "Couldn.t connect"`,
        'curl -sS -m 20 --noproxy "*" http://8.8.8.8/ 2>&1 | grep -io "couldn.t connect"',
        'cat /etc/trust.pem; echo "$https_proxy $NODE_USE_ENV_PROXY"',
      ];
      const { stdout, exitCode } = await inside(host, lines.join('\n'), workspace);
      expect(stdout.trim().split('\n')).toEqual([
        'hello from up',
        '403',
        expect.stringMatching(/connect/iu) as string,
        expect.stringMatching(/connect/iu) as string,
        'whom to trust',
        'http://127.0.0.1:3128 1',
      ]);
      expect(exitCode).toBe(0);
      expect(came).toEqual(['8.8.8.8']);
    },
  );

  test.skipIf(!isRoot).each(rungs)(
    'by %s is there for a command that becomes another user, too',
    async (rung) => {
      const { host, workspace } = await filtered(65_534, rung);
      const { stdout } = await inside(host, 'id -u; curl -sS -m 20 http://up.example/', workspace);
      expect(stdout).toBe('65534\nhello from up');
    },
  );

  test.each(rungs)(
    'by %s is gone with its box, which knows no wire to the runner',
    async (rung) => {
      const { host, workspace, ended } = await filtered(undefined, rung);
      const look =
        'ls -l /proc/self/fd /proc/1/fd 2>/dev/null | grep -c socket; env | grep -c CHANNEL';
      const { stdout } = await inside(host, look, workspace);
      expect(stdout.trim().split('\n')).toEqual(['0', '0']);
      host.endSession?.('claude', 'one');
      await expect.poll(() => ended.length).toBe(1);
    },
  );

  test.skipIf(!rungs.includes('session'))(
    'is one for the commands of a session, in which they reach what was left running, too',
    async () => {
      const { host, workspace, ended, came } = await filtered(undefined, 'session');
      const serve = `node -e 'require("http").createServer((q, a) => a.end("own")).listen(8099, "127.0.0.1")'`;
      const fetches = 'curl -sS -m 20 http://up.example/; echo';
      const task = { ...command(`${serve} & ${fetches}`, workspace), unasked: true as const };
      const first = run(host, task);
      await first.ended;
      expect(first.output().stdout).toBe('hello from up\n');
      await expect.poll(() => [...(host.boxOf?.('claude', 'one')?.ports() ?? [])]).toEqual([8099]);
      const text = `curl -sS localhost:8099; echo; ${fetches}`;
      const second = run(host, { ...command(text, workspace), unasked: true });
      await second.ended;
      expect(second.output().stdout).toBe('own\nhello from up\n');
      expect(came).toHaveLength(2);
      const used = task.id;
      expect(ended).not.toContain(used);
      // Another session has a way of its own, and no way to this one's server.
      const other = run(host, { ...command(text, workspace), unasked: true, session: 'two' });
      await other.ended;
      expect(other.output().stdout).toBe('\nhello from up\n');
      host.endSession?.('claude', 'one');
      await expect.poll(() => ended).toContain(used);
      expect(host.boxOf?.('claude', 'one')).toBeNull();
    },
  );

  test('cannot be reached from outside, nor from another box', async () => {
    const { host, workspace } = await filtered();
    const first = inside(host, 'curl -sS -m 20 http://up.example/; sleep 1', workspace);
    const reached = await new Promise((resolve) => {
      const socket = connect({ host: '127.0.0.1', port });
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
    expect(reached).toBe(false);
    expect((await first).stdout).toBe('hello from up');
    const other = box({ network: 'none' });
    const { stdout } = await inside(
      other.host,
      `curl -sS -m 5 http://127.0.0.1:${String(port)}/ 2>&1 | grep -io "couldn.t connect"`,
      other.workspace,
    );
    expect(stdout).toMatch(/connect/iu);
  });

  test('is refused where nothing filters it', async () => {
    const { workspace, host } = box({ network: 'restricted' });
    await expect(inside(host, 'true', workspace)).rejects.toMatchObject({
      refusal: { code: 'host-unavailable' },
    });
  });
});
