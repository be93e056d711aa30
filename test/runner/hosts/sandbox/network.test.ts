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
import { box, inside, isRoot, rungs, whyNot } from './support.ts';

const port = 3128;

/** A sandbox with a proxy to one server behind `up.example`, and who came to it. */
async function filtered(owner?: number) {
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
    dial: (address) => {
      came.push(addressText(address));
      return connect({ host: '127.0.0.1', port: at, allowHalfOpen: true });
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
  const options = { network, ...(owner !== undefined && { owner }) };
  return { ...box({ network: 'restricted' }, options), came, ended, port: at };
}

describe.skipIf(whyNot !== null)('a filtered network', () => {
  test('reaches what is allowed, by the proxy on its own loopback, and nothing else', async () => {
    const { host, workspace, came, port: outside } = await filtered();
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
  });

  test.skipIf(!isRoot)('is there for a command that becomes another user, too', async () => {
    const { host, workspace } = await filtered(65_534);
    const { stdout } = await inside(host, 'id -u; curl -sS -m 20 http://up.example/', workspace);
    expect(stdout).toBe('65534\nhello from up');
  });

  test('is gone with its box, and its box knows no wire to the runner', async () => {
    const { host, workspace, ended } = await filtered();
    const look =
      'ls -l /proc/self/fd /proc/1/fd 2>/dev/null | grep -c socket; env | grep -c CHANNEL';
    const { stdout } = await inside(host, look, workspace);
    expect(stdout.trim().split('\n')).toEqual(['0', '0']);
    await expect.poll(() => ended.length).toBe(1);
  });

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

  test.skipIf(!rungs.includes('bubblewrap'))(
    'is refused where bubblewrap builds the box',
    async () => {
      const nothing = { port, variables: {}, entries: [], listens: () => {}, close: () => {} };
      const network = async () => nothing;
      const { workspace, host } = box({ network: 'restricted' }, { network, rung: 'bubblewrap' });
      await expect(inside(host, 'true', workspace)).rejects.toMatchObject({
        refusal: { code: 'host-unavailable' },
      });
    },
  );
});
